import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parse } from 'dotenv';

/** Merges the environment of this process with the project's `.env`. Variables of the environment win. */
export function readEnvironment(projectDirectory: string): Readonly<Record<string, string | undefined>> {
  const file = join(projectDirectory, '.env');
  return { ...(existsSync(file) && parseSettings(readFileSync(file, 'utf8'))), ...process.env };
}

/** A line with a value that has no quotes. */
const UNQUOTED = /^[ \t]*(?:export[ \t]+)?([\w.-]+)[ \t]*=[ \t]*([^\s'"`#].*)$/gm;

/**
 * dotenv ends such a value at every #, which would make a password silently shorter. A shell and Docker Compose, which
 * read the same file, end it only at a # after a space.
 */
function parseSettings(text: string): Record<string, string> {
  const values = parse(text);
  for (const [, name, value] of text.matchAll(UNQUOTED)) {
    if (value!.includes('#')) values[name!] = value!.replace(/\s#.*$/s, '').trim();
  }
  return values;
}
