import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parse } from 'dotenv';

/** The environment of this process over the file `.env` of the project: a variable that is set wins. */
export function readEnvironment(projectDirectory: string): Readonly<Record<string, string | undefined>> {
  const file = join(projectDirectory, '.env');
  return { ...(existsSync(file) && parse(readFileSync(file))), ...process.env };
}
