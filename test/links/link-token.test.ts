import fc from 'fast-check';
import { mintEmailTrackingId } from '../../src/links/email-tracking-id.js';
import { readLink, signLink, UnknownSigningKeyError, type SignedLink } from '../../src/links/link-token.js';
import { subKeysOf } from '../../src/links/message-authentication.js';
import { keysWith } from './keys.js';

const keys = keysWith(1, 2);
const emailTrackingId = mintEmailTrackingId(keys, new Uint8Array(12).fill(9));
const link: SignedLink = { emailTrackingId, position: 3, url: 'https://www.example.com/a?b=c&d=%20#é' };

const url = fc
  .tuple(
    fc.constantFrom('https://', 'http://', 'HTTPS://', 'https://www.', 'http://www.'),
    fc.string({ unit: 'grapheme' }),
  )
  .map(([beginning, rest]) => (beginning + rest).toWellFormed());

describe('link token', () => {
  it('gives back what it was made of', () => {
    fc.assert(
      fc.property(url, fc.nat(999), (url, position) => {
        const token = signLink(keys, { emailTrackingId, position, url });
        expect(token).toMatch(/^[A-Za-z0-9_-]+$/);
        expect(readLink(keys, token)).toEqual({ emailTrackingId, position, url });
      }),
    );
  });

  it('is as short as its parts allow', () => {
    const rest = 'shop.example.com/spring?utm_source=newsletter';
    const token = signLink(keys, { emailTrackingId, position: 0, url: `https://${rest}` });
    expect(token).toHaveLength(40 + Math.ceil(((2 + rest.length) * 4) / 3));
  });

  it('is refused when any character is another, missing, added or spelled in another base64', () => {
    for (const url of ['https://example.com/', 'https://example.com/1', 'https://example.com/12']) {
      const token = signLink(keys, { ...link, url });
      for (let index = 0; index < token.length; index++) {
        for (const character of 'AQgwBZz09-_=+/. ') {
          if (character === token[index]) continue;
          expect(readLink(keys, token.slice(0, index) + character + token.slice(index + 1))).toBeUndefined();
        }
        expect(readLink(keys, token.slice(0, index) + token.slice(index + 1))).toBeUndefined();
        expect(readLink(keys, token.slice(0, index))).toBeUndefined();
      }
      for (const added of ['A', '=', '==', ' ', '\n', '/', '?']) {
        expect(readLink(keys, token + added)).toBeUndefined();
        expect(readLink(keys, added + token)).toBeUndefined();
      }
    }
  });

  it.each([
    '',
    'x',
    '%00',
    'https://evil.test',
    '//evil.test',
    '\\\\evil',
    'A'.repeat(43),
    'A'.repeat(60),
    'A'.repeat(20_000),
  ])('refuses %.20j', (token) => expect(readLink(keys, token)).toBeUndefined());

  it('never leads anywhere but to http and https, even when signed', () => {
    const key = keys.newest;
    for (const [beginning, rest] of [
      [0, 'javascript:alert(1)'],
      [0, '//evil.test'],
      [5, 'evil.test'],
      [63, 'x'],
    ] as const) {
      const payload = Buffer.concat([Buffer.alloc(2), Buffer.from(rest)]);
      payload.writeUInt16BE(beginning * 1024);
      const signed = emailTrackingId + payload.toString('base64url');
      expect(readLink(keys, subKeysOf(key).linkToken.digest(signed).slice(0, 16) + signed)).toBeUndefined();
    }
    expect(() => signLink(keys, { ...link, url: 'javascript:alert(1)' })).toThrow(RangeError);
  });

  it('keeps apart what the two codes are for', () => {
    const signed = signLink(keys, link).slice(16);
    const foreign = subKeysOf(keys.newest).emailTrackingId.digest(signed).slice(0, 16);
    expect(readLink(keys, foreign + signed)).toBeUndefined();
  });

  it('is the same before and after a rotation, and read by every process that still knows the key', () => {
    const before = keysWith(1);
    const after = keysWith(1, 2);
    const old = { ...link, emailTrackingId: mintEmailTrackingId(before, new Uint8Array(12)) };
    const token = signLink(before, old);
    expect(signLink(after, old)).toBe(token);
    expect(readLink(after, token)).toEqual(old);
    expect(readLink(keysWith(2), token)).toBeUndefined();
    expect(() => signLink(keysWith(2), old)).toThrow(UnknownSigningKeyError);
  });

  it('carries 8,192 bytes of URL and 1,000 positions, and says so when it cannot', () => {
    const longest = `https://example.com/${'x'.repeat(8192 - 20)}`;
    expect(readLink(keys, signLink(keys, { ...link, url: longest, position: 999 }))?.url).toBe(longest);
    expect(() => signLink(keys, { ...link, url: `${longest}x` })).toThrow(RangeError);
    expect(() => signLink(keys, { ...link, position: 1024 })).toThrow(RangeError);
    expect(() => signLink(keys, { ...link, position: -1 })).toThrow(RangeError);
  });
});
