import fc from 'fast-check';
import { decodeBase32, encodeBase32 } from '../../src/links/base32.js';
import { generateEmailTrackingId } from '../../src/links/email-tracking-id.js';
import { UnknownSigningKeyError } from '../../src/links/link-token.js';
import { readReturnPath, signReturnPath } from '../../src/links/return-path.js';
import { subKeysOf } from '../../src/links/signing-subkeys.js';
import { keysWith } from './keys.js';

const DOMAIN = 'bounces.example.com';
const keys = keysWith(1, 2);
const emailTrackingId = generateEmailTrackingId(keys, new Uint8Array(12).fill(9));
const random12 = fc.uint8Array({ minLength: 12, maxLength: 12 });
const position = fc.option(fc.nat(254), { nil: undefined });

function localPartOf(address: string): string {
  return address.slice(0, address.lastIndexOf('@'));
}

describe('return path', () => {
  it('gives back the email and the position it was made of, in any case of its letters', () => {
    fc.assert(
      fc.property(random12, position, fc.infiniteStream(fc.boolean()), (random, position, upper) => {
        const named = {
          emailTrackingId: generateEmailTrackingId(keys, random),
          ...(position !== undefined && { position }),
        };
        const address = signReturnPath(keys, named, DOMAIN);
        expect(address).toMatch(/^b\+[a-z2-7]{48}@bounces\.example\.com$/);
        expect(localPartOf(address).length).toBeLessThanOrEqual(64);
        expect(readReturnPath(keys, address, DOMAIN)).toEqual(named);
        const mixed = Array.from(address, (letter) => (upper.next().value ? letter.toUpperCase() : letter)).join('');
        expect(readReturnPath(keys, mixed, DOMAIN)).toEqual(named);
      }),
    );
  });

  it('is refused when any character is another, missing or added', () => {
    const address = signReturnPath(keys, { emailTrackingId, position: 3 }, DOMAIN);
    for (let index = 0; index < address.length; index++) {
      for (const character of 'abz2579+=-@. é') {
        if (character === address[index]) continue;
        const other = address.slice(0, index) + character + address.slice(index + 1);
        expect(readReturnPath(keys, other, DOMAIN)).toBeUndefined();
      }
      expect(readReturnPath(keys, address.slice(0, index) + address.slice(index + 1), DOMAIN)).toBeUndefined();
    }
    for (const added of ['a', '=', ' ', '\n', '@']) {
      expect(readReturnPath(keys, localPartOf(address) + added + `@${DOMAIN}`, DOMAIN)).toBeUndefined();
      expect(readReturnPath(keys, added + address, DOMAIN)).toBeUndefined();
    }
  });

  it.each(['', '@', 'b+', `b+@${DOMAIN}`, `postmaster@${DOMAIN}`, `b+${'a'.repeat(48)}@${DOMAIN}`, 'b'.repeat(20_000)])(
    'refuses %.20j',
    (address) => expect(readReturnPath(keys, address, DOMAIN)).toBeUndefined(),
  );

  it('belongs to one domain', () => {
    const address = signReturnPath(keys, { emailTrackingId }, DOMAIN);
    expect(readReturnPath(keys, address, 'other.example.com')).toBeUndefined();
    expect(readReturnPath(keys, localPartOf(address), DOMAIN)).toBeUndefined();
  });

  it('takes no MAC that was computed for another purpose', () => {
    const digest = subKeysOf(keys.newest).linkToken.digest(`${emailTrackingId}.3`);
    const mac = Buffer.from(digest, 'latin1').subarray(0, 11);
    const forged = encodeBase32(Buffer.concat([Buffer.from(emailTrackingId, 'base64url'), Buffer.of(3), mac]));
    expect(readReturnPath(keys, `b+${forged}@${DOMAIN}`, DOMAIN)).toBeUndefined();
  });

  it('is the same before and after a rotation, and read by every process that still knows the key', () => {
    const before = keysWith(1);
    const after = keysWith(1, 2);
    const old = { emailTrackingId: generateEmailTrackingId(before, new Uint8Array(12)), position: 0 };
    const address = signReturnPath(before, old, DOMAIN);
    expect(signReturnPath(after, old, DOMAIN)).toBe(address);
    expect(readReturnPath(after, address, DOMAIN)).toEqual(old);
    expect(readReturnPath(keysWith(2), address, DOMAIN)).toBeUndefined();
    expect(() => signReturnPath(keysWith(2), old, DOMAIN)).toThrow(UnknownSigningKeyError);
  });

  it('reads what is in mail already sent, and signs the same', () => {
    const issued = { emailTrackingId: 'ABUqP1RpfpOovdLnuxehMAYC', position: 3 };
    const address = 'b+aaksup2unf7jhkf52lt3wf5bgadaea4fxoq4v47rxxx2mr3l@bounces.example.com';
    expect(signReturnPath(keys, issued, DOMAIN)).toBe(address);
    expect(readReturnPath(keys, address, DOMAIN)).toEqual(issued);
  });

  it('carries positions to 254', () => {
    for (const position of [-1, 255, 256, 0.5]) {
      expect(() => signReturnPath(keys, { emailTrackingId, position }, DOMAIN)).toThrow(RangeError);
    }
  });
});

describe('base32', () => {
  it('gives back every five bytes, as RFC 4648 spells them', () => {
    expect(encodeBase32(Buffer.from('foobarfoob'))).toBe('mzxw6ytbojtg633c');
    fc.assert(
      fc.property(fc.array(fc.uint8Array({ minLength: 5, maxLength: 5 }), { maxLength: 8 }), (groups) => {
        const bytes = Buffer.concat(groups);
        expect(decodeBase32(encodeBase32(bytes)).equals(bytes)).toBe(true);
      }),
    );
  });
});
