import { randomUUID } from 'node:crypto';
import { chown, readFile, rename, rm, writeFile } from 'node:fs/promises';
import type { Account } from './unix-account.js';

/**
 * Returns the JSON content of a file, or undefined if there is no such file or only a part of it: a file of an earlier
 * build may be cut off by a full disk or a loss of power, and must not stop every later start.
 */
export async function readStateFile<Content>(file: string): Promise<Content | undefined> {
  const text = await readFile(file, 'utf8').catch(() => undefined);
  try {
    return text === undefined ? undefined : (JSON.parse(text) as Content);
  } catch {
    return undefined;
  }
}

/**
 * Replaces a file in one step: other processes see the earlier content or the new one, and so does the next start after
 * a full disk or a loss of power.
 * @param account owner of the file, if it is not the current account
 */
export async function replaceStateFile(file: string, content: string, account?: Account): Promise<void> {
  const draft = `${file}.${randomUUID()}`;
  try {
    await writeFile(draft, content, { mode: 0o600, flush: true });
    if (account) await chown(draft, account.uid, account.gid);
    await rename(draft, file);
  } catch (error) {
    await rm(draft, { force: true });
    throw error;
  }
}
