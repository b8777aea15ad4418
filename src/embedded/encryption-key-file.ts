import { randomBytes, randomUUID } from 'node:crypto';
import { link, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { newEncryptionKey, readEncryptionKeys, type EncryptionKeys } from '../platform/encryption/encryption-keys.js';
import { EmbeddedServiceError } from './embedded-service-error.js';
import { prepareStateDirectory } from './service-directory.js';

/** Returns the keys that an earlier start generated in `directory`, or undefined if there are none. */
export async function findEncryptionKeys(directory: string): Promise<EncryptionKeys | undefined> {
  const file = keyFile(directory);
  const text = await readFile(file, 'utf8').catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return undefined;
    throw new EmbeddedServiceError(`${file} cannot be read (${error.code}): start as the user it belongs to`);
  });
  if (text === undefined) return undefined;
  const keys = readEncryptionKeys(text.trim());
  if (!keys) throw new EmbeddedServiceError(`${file} does not hold encryption keys: restore it from a backup`);
  return keys;
}

/**
 * Returns the keys of `directory` and generates them if there are none. Never overwrites an existing file. Each key has
 * an ID of its own: after a file was lost and made again, secrets under the lost key name it, and both keys can be used
 * together once it is restored.
 */
export async function ensureEncryptionKeys(directory: string): Promise<EncryptionKeys> {
  const known = await findEncryptionKeys(directory);
  if (known) return known;
  await prepareStateDirectory(join(directory, '.mailbeacon'));
  const draft = `${keyFile(directory)}.${randomUUID()}`;
  await writeFile(draft, `${newEncryptionKey(`key${randomBytes(4).toString('hex')}`)}\n`, { mode: 0o600, flush: true });
  // A hard link is atomic and does not replace a file that a concurrent start has created.
  await link(draft, keyFile(directory)).catch((error: NodeJS.ErrnoException) => {
    if (error.code !== 'EEXIST') throw error;
  });
  await rm(draft);
  return (await findEncryptionKeys(directory))!;
}

function keyFile(directory: string): string {
  return join(directory, '.mailbeacon', 'encryption.keys');
}
