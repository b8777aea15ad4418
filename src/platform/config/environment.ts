import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parse } from 'dotenv';
import { OperatorError } from '../errors/operator-error.js';

/**
 * Merges the environment of this process with the project's `.env`. Variables of the environment win.
 * @param file the content of the `.env`, where that has been read
 * @throws OperatorError if there is a `.env` that cannot be read
 */
export function readEnvironment(
  projectDirectory: string,
  file = readSettingsFile(projectDirectory),
): Readonly<Record<string, string | undefined>> {
  return { ...file, ...process.env };
}

/** Reads the project's `.env`; nothing without one. @throws OperatorError if it cannot be read */
export function readSettingsFile(projectDirectory: string): Readonly<Record<string, string>> {
  return parseSettings(contentOf(join(projectDirectory, '.env')));
}

function contentOf(file: string): string {
  try {
    return readFileSync(file, 'utf8');
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === 'ENOENT') return '';
    throw new OperatorError(`${file} cannot be read (${code}): start as the user it belongs to`, { cause: error });
  }
}

/** A line that gives a name a value; the last one counts. */
const LINE = /^[ \t]*(?:export[ \t]+)?([\w.-]+)[ \t]*=[ \t]*(.*)/gm;
const UNQUOTED = /^[^\s'"`#]/;

/**
 * dotenv ends a value without quotes at every #, which would make a password silently shorter. A shell and Docker
 * Compose, which read the same file, end it only at a # after a space.
 */
function parseSettings(text: string): Record<string, string> {
  const values = parse(text);
  const last = new Map([...text.matchAll(LINE)].map(([, name, value]) => [name!, value!]));
  for (const [name, value] of last) {
    if (UNQUOTED.test(value) && value.includes('#')) values[name] = value.replace(/\s#.*$/s, '').trim();
  }
  return values;
}
