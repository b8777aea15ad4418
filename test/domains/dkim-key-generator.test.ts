import { randomFill } from 'node:crypto';
import { promisify } from 'node:util';
import type { Database } from '../../src/platform/database/database.js';
import { DkimKeyGenerator } from '../../src/domains/dkim-key-generator.js';
import { newEncryptionKey, readEncryptionKeys } from '../../src/platform/encryption/encryption-keys.js';
import { SecretBox } from '../../src/platform/encryption/secret-box.js';

const box = new SecretBox(readEncryptionKeys(newEncryptionKey('k1'))!);
const randomBytes = promisify<Buffer, Buffer>(randomFill);

/** A generator whose rows take every key but those that `refuses`. */
function generatorInto(stored: string[], refuses: (domainId: string) => boolean = () => false): DkimKeyGenerator {
  const query = (_text: string, [domainId]: [string]) => {
    if (refuses(domainId)) return Promise.reject(new Error('Postgres is down'));
    stored.push(domainId);
    return Promise.resolve([{ dkim_selector: 'mb', dkim_public_key: 'key' }]);
  };
  return new DkimKeyGenerator({ query } as unknown as Database, box);
}

it('leaves threads for the rest of the process, however many keys are requested', async () => {
  const stored: string[] = [];
  const generator = generatorInto(stored);
  const keys = Array.from({ length: 8 }, (_, at) => generator.generate(`domain-${at}`));
  // Signing mail and looking up names use the same four threads.
  await randomBytes(Buffer.alloc(16));
  expect(stored.length).toBeLessThanOrEqual(1);
  await Promise.all(keys);
  expect(stored).toEqual([
    'domain-0',
    'domain-1',
    'domain-2',
    'domain-3',
    'domain-4',
    'domain-5',
    'domain-6',
    'domain-7',
  ]);
});

it('continues after a key that could not be stored', async () => {
  const stored: string[] = [];
  const generator = generatorInto(stored, (domainId) => domainId === 'first');
  const [first, second] = [generator.generate('first'), generator.generate('second')];
  await expect(first).rejects.toThrow('Postgres is down');
  expect(await second).toEqual({ dkim_selector: 'mb', dkim_public_key: 'key' });
});
