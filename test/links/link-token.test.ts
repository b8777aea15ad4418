import fc from 'fast-check';
import { generateEmailTrackingId } from '../../src/links/email-tracking-id.js';
import { readLink, signLink, UnknownSigningKeyError, type SignedLink } from '../../src/links/link-token.js';
import { subKeysOf } from '../../src/links/signing-subkeys.js';
import { keysWith } from './keys.js';

const keys = keysWith(1, 2);
const emailTrackingId = generateEmailTrackingId(keys, new Uint8Array(12).fill(9));
const link: SignedLink = { emailTrackingId, position: 3, url: 'https://www.example.com/a?b=c&d=%20#é' };

const url = fc
  .tuple(
    fc.constantFrom('https://', 'http://', 'HTTPS://', 'https://www.', 'http://www.'),
    fc.string({ unit: 'grapheme' }),
  )
  .map(([beginning, rest]) => (beginning + rest).toWellFormed());

/** A token of any payload, with a code that the newest key computed for one of its two purposes. */
function signedWith(purpose: 'linkToken' | 'emailTrackingId', beginning: number, rest: string): string {
  const payload = Buffer.concat([Buffer.alloc(2), Buffer.from(rest)]);
  payload.writeUInt16BE(beginning * 1024);
  const signed = emailTrackingId + payload.toString('base64url');
  const code = subKeysOf(keys.newest)[purpose].digest(signed);
  return Buffer.from(code, 'latin1').toString('base64url', 0, 12) + signed;
}

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
    expect(readLink(keys, signedWith('linkToken', 1, 'shop.example/'))?.url).toBe('https://shop.example/');
    for (const [beginning, rest] of [
      [0, 'javascript:alert(1)'],
      [0, '//evil.test'],
      [5, 'evil.test'],
      [63, 'x'],
    ] as const) {
      expect(readLink(keys, signedWith('linkToken', beginning, rest))).toBeUndefined();
    }
    expect(() => signLink(keys, { ...link, url: 'javascript:alert(1)' })).toThrow(RangeError);
  });

  it('takes no code that was computed for an email tracking ID', () => {
    expect(readLink(keys, signedWith('emailTrackingId', 1, 'shop.example/'))).toBeUndefined();
  });

  it.each([
    ['VU39VU_-aZzTxrvy', 'DANleGFtcGxlLmNvbS9hP2I9YyZkPSUyMCPDqQ', 3, 'https://www.example.com/a?b=c&d=%20#é'],
    ['Bk6dNpM9E7B5Z7YI', 'B-dleGFtcGxlLmNvbS8', 999, 'https://example.com/'],
    ['aZnVzNVZY6iDlwrb', 'C-dleGFtcGxlLmNvbS8', 999, 'http://example.com/'],
    ['-0CgVJMyZlHyrP7V', 'E-dleGFtcGxlLmNvbS8', 999, 'http://www.example.com/'],
    ['xo7eR1ZxZYYnJ3Wd', 'A-dIVFRQUzovL2V4YW1wbGUuY29tLw', 999, 'HTTPS://example.com/'],
  ])('reads what is in mail already sent, and signs the same: %s', (code, payload, position, url) => {
    const issued = { emailTrackingId: 'ABUqP1RpfpOovdLnuxehMAYC', position, url };
    expect(readLink(keys, code + issued.emailTrackingId + payload)).toEqual(issued);
    expect(signLink(keys, issued)).toBe(code + issued.emailTrackingId + payload);
  });

  it('is the same before and after a rotation, and read by every process that still knows the key', () => {
    const before = keysWith(1);
    const after = keysWith(1, 2);
    const old = { ...link, emailTrackingId: generateEmailTrackingId(before, new Uint8Array(12)) };
    const token = signLink(before, old);
    expect(signLink(after, old)).toBe(token);
    expect(readLink(after, token)).toEqual(old);
    expect(readLink(keysWith(2), token)).toBeUndefined();
    expect(() => signLink(keysWith(2), old)).toThrow(UnknownSigningKeyError);
  });

  it('carries 8,192 bytes of URL and 1,000 positions, and throws beyond that', () => {
    const longest = `https://example.com/${'x'.repeat(8192 - 20)}`;
    expect(readLink(keys, signLink(keys, { ...link, url: longest, position: 999 }))?.url).toBe(longest);
    expect(() => signLink(keys, { ...link, url: `${longest}x` })).toThrow(RangeError);
    expect(() => signLink(keys, { ...link, url: `https://example.com/${'é'.repeat(4096)}` })).toThrow(RangeError);
    expect(() => signLink(keys, { ...link, position: 1024 })).toThrow(RangeError);
    expect(() => signLink(keys, { ...link, position: -1 })).toThrow(RangeError);
  });
});
