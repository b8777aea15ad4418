import fc from 'fast-check';
import { newEncryptionKey, readEncryptionKeys } from '../../../src/platform/encryption/encryption-keys.js';
import { DecryptionError, SecretBox } from '../../../src/platform/encryption/secret-box.js';

const keysOf = (text: string) => readEncryptionKeys(text)!;
const older = newEncryptionKey('k1');
const newer = newEncryptionKey('k2');
const box = new SecretBox(keysOf(older));

describe('secret box', () => {
  it('opens what it sealed, in the context it was sealed for', () => {
    fc.assert(
      fc.property(fc.uint8Array(), fc.string(), (plain, context) => {
        expect(box.open(box.seal(Buffer.from(plain), context), context)).toEqual(Buffer.from(plain));
      }),
    );
  });

  it('opens nothing that was altered in any place', () => {
    const sealed = box.seal('a secret', 'table.column.1');
    const start = sealed.lastIndexOf('.') + 1;
    fc.assert(
      // The last letter of base64url carries bits that mean nothing.
      fc.property(fc.integer({ min: start, max: sealed.length - 2 }), (place) => {
        const other = sealed[place] === 'A' ? 'B' : 'A';
        const altered = sealed.slice(0, place) + other + sealed.slice(place + 1);
        expect(() => box.open(altered, 'table.column.1')).toThrow(DecryptionError);
      }),
    );
    expect(() => box.open(sealed.slice(0, start + 10), 'table.column.1')).toThrow(DecryptionError);
    for (const text of ['', 'plain', 'v2.k1.AAAA', `v1.k1.`])
      expect(() => box.open(text, 'c')).toThrow(DecryptionError);
  });

  it('does not open in another row, nor with another key of the same id', () => {
    const sealed = box.seal('a secret', 'table.column.1');
    expect(() => box.open(sealed, 'table.column.2')).toThrow(DecryptionError);
    const otherBox = new SecretBox(keysOf(newEncryptionKey('k1')));
    expect(() => otherBox.open(sealed, 'table.column.1')).toThrow(DecryptionError);
  });

  it('seals with the first key, opens with all, and names the key that is missing', () => {
    const sealed = box.seal('a secret', 'c');
    const both = new SecretBox(keysOf(`${newer},${older}`));
    expect(both.open(sealed, 'c').toString()).toBe('a secret');
    expect(both.seal('a secret', 'c')).toMatch(/^v1\.k2\./);
    expect(() => box.open(both.seal('a secret', 'c'), 'c')).toThrow(/k2.*ENCRYPTION_KEYS/);
  });

  it('shows nothing of the secret and never seals alike', () => {
    const sealed = box.seal('a secret', 'c');
    expect(Buffer.from(sealed.split('.')[2]!, 'base64url').toString('latin1')).not.toContain('secret');
    expect(box.seal('a secret', 'c')).not.toBe(sealed);
  });
});

describe('encryption keys', () => {
  it('are 32 bytes each, with unique ids', () => {
    expect(keysOf(`${older}, ${newer}`).map(({ id }) => id)).toEqual(['k1', 'k2']);
    const short = `k3:${Buffer.alloc(31).toString('base64')}`;
    for (const text of ['', 'k1', 'k1:short', short, `${older},`, `${older},${older}`, older.replace('k1', 'k-1')]) {
      expect(readEncryptionKeys(text)).toBeUndefined();
    }
  });
});
