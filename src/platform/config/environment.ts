import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parse } from 'dotenv';

/** Merges the environment of this process with the project's `.env`. Variables of the environment win. */
export function readEnvironment(projectDirectory: string): Readonly<Record<string, string | undefined>> {
  const file = join(projectDirectory, '.env');
  return { ...(existsSync(file) && parse(readFileSync(file))), ...process.env };
}
