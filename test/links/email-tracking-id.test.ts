import { randomBytes } from 'node:crypto';
import fc from 'fast-check';
import { isEmailTrackingId, generateEmailTrackingId, signingKeyOf } from '../../src/links/email-tracking-id.js';
import { keysWith } from './keys.js';

const ALPHABET = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_';
const random12 = fc.uint8Array({ minLength: 12, maxLength: 12 });

describe('email tracking ID', () => {
  it('is 24 characters of base64url that the keys recognise', () => {
    fc.assert(
      fc.property(random12, fc.nat(255), (random, id) => {
        const keys = keysWith(id);
        const trackingId = generateEmailTrackingId(keys, random);
        expect(trackingId).toMatch(/^[A-Za-z0-9_-]{24}$/);
        expect(isEmailTrackingId(keys, trackingId)).toBe(true);
        expect(signingKeyOf(keys, trackingId)).toBe(keys.newest);
      }),
    );
  });

  it('depends on nothing but the key and the random bytes', () => {
    expect(generateEmailTrackingId(keysWith(7), new Uint8Array(12))).toBe(
      generateEmailTrackingId(keysWith(7), new Uint8Array(12)),
    );
  });

  it('recognises what is in mail already sent, and generates the same', () => {
    const issued = 'ABUqP1RpfpOovdLnuxehMAYC';
    const random = Uint8Array.from({ length: 12 }, (_, index) => index * 21);
    expect(isEmailTrackingId(keysWith(1, 2), issued)).toBe(true);
    expect(generateEmailTrackingId(keysWith(1, 2), random)).toBe(issued);
  });

  it('fails its check when any one character is another', () => {
    const keys = keysWith(1, 2);
    const id = generateEmailTrackingId(
      keys,
      Uint8Array.from({ length: 12 }, (_, index) => index * 21),
    );
    for (let index = 0; index < id.length; index++) {
      for (const character of ALPHABET) {
        if (character === id[index]) continue;
        expect(isEmailTrackingId(keys, id.slice(0, index) + character + id.slice(index + 1))).toBe(false);
      }
    }
  });

  it.each(['', 'x', 'A'.repeat(23), 'A'.repeat(25), '\0'.repeat(24), '+'.repeat(24), '/'.repeat(24), 'é'.repeat(24)])(
    'refuses %j',
    (text) => {
      expect(isEmailTrackingId(keysWith(0), text)).toBe(false);
      expect(signingKeyOf(keysWith(0), text)).toBeUndefined();
    },
  );

  it('stays recognised after a rotation, and not before its key is known', () => {
    const id = generateEmailTrackingId(keysWith(1), new Uint8Array(12));
    expect(isEmailTrackingId(keysWith(1, 2), id)).toBe(true);
    expect(signingKeyOf(keysWith(1, 2), id)?.id).toBe(1);
    expect(isEmailTrackingId(keysWith(2), id)).toBe(false);
  });

  it('shows no common beginning and no order', () => {
    const keys = keysWith(3);
    const ids = Array.from({ length: 2000 }, () => generateEmailTrackingId(keys, randomBytes(12)));
    expect(new Set(ids).size).toBe(ids.length);
    expect(new Set(ids.map((id) => id[0])).size).toBe(64);
    expect([...ids].sort()).not.toEqual(ids);
  });

  it('takes exactly 12 random bytes', () => {
    expect(() => generateEmailTrackingId(keysWith(1), new Uint8Array(11))).toThrow(RangeError);
  });
});
