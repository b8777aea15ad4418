import fc from 'fast-check';
import { generateEmailTrackingId } from '../../src/links/email-tracking-id.js';
import { signLink, readLink, UnknownSigningKeyError } from '../../src/links/link-token.js';
import { readUnsubscription, signUnsubscription } from '../../src/links/unsubscribe-token.js';
import { keysWith } from './keys.js';

const keys = keysWith(1, 2);
const emailTrackingId = generateEmailTrackingId(keys, new Uint8Array(12).fill(9));
const sender = { address: 'news@acme.example', name: 'Acme' };
const token = signUnsubscription(keys, { emailTrackingId, sender, recipient: 'reader@example.com' });

describe('an unsubscribe token', () => {
  it('gives back who wrote, and to which address, shortened', () => {
    expect(readUnsubscription(keys, token)).toEqual({ emailTrackingId, sender, recipient: 're…@example.com' });
    const nameless = { emailTrackingId, sender: { address: sender.address }, recipient: 'a@b.example' };
    expect(readUnsubscription(keys, signUnsubscription(keys, nameless))).toEqual({
      ...nameless,
      recipient: '…@b.example',
    });
  });

  it('never contains a whole address of a recipient, and fits into a URL and a header line for any names', () => {
    const text = (maxLength: number) => fc.string({ unit: 'grapheme', maxLength }).map((name) => name.toWellFormed());
    const local = fc.stringMatching(/^[a-z0-9.+]{1,64}$/);
    const domain = fc.stringMatching(/^[a-z0-9]{1,60}(\.[a-z0-9]{1,60}){0,2}\.example$/);
    fc.assert(
      fc.property(text(400), local, domain, local, domain, (name, from, fromDomain, to, toDomain) => {
        const address = `${from}@${fromDomain}`;
        const recipient = `${to}@${toDomain}`;
        const made = signUnsubscription(keys, { emailTrackingId, sender: { address, name }, recipient });
        expect(made).toMatch(/^[A-Za-z0-9_-]{44,640}$/);
        const read = readUnsubscription(keys, made)!;
        expect(read.emailTrackingId).toBe(emailTrackingId);
        expect(JSON.stringify(read.recipient)).not.toContain(recipient);
        expect(read.recipient).toContain('…');
        if (address.length <= 90) expect(read.sender.address).toBe(address);
        expect([...(read.sender.name ?? '')].length).toBeLessThanOrEqual(40);
      }),
    );
  });

  it('is refused when any character is another, missing or added', () => {
    for (let index = 0; index < token.length; index++) {
      for (const character of 'AQgwBZz09-_=+/. ') {
        if (character === token[index]) continue;
        expect(readUnsubscription(keys, token.slice(0, index) + character + token.slice(index + 1))).toBeUndefined();
      }
      expect(readUnsubscription(keys, token.slice(0, index) + token.slice(index + 1))).toBeUndefined();
      expect(readUnsubscription(keys, token.slice(0, index))).toBeUndefined();
    }
    for (const added of ['A', '=', ' ', '\n', '/', '?']) {
      expect(readUnsubscription(keys, token + added)).toBeUndefined();
      expect(readUnsubscription(keys, added + token)).toBeUndefined();
    }
  });

  it('is refused for any other text in a URL', () => {
    fc.assert(fc.property(fc.string(), (text) => expect(readUnsubscription(keys, text)).toBeUndefined()));
    expect(readUnsubscription(keys, 'A'.repeat(100_000))).toBeUndefined();
  });

  it('is not valid as a link, and a link does not unsubscribe', () => {
    const link = signLink(keys, { emailTrackingId, position: 0, url: 'https://acme.example/a' });
    expect(readUnsubscription(keys, link)).toBeUndefined();
    expect(readUnsubscription(keys, emailTrackingId)).toBeUndefined();
    expect(readLink(keys, token)).toBeUndefined();
  });

  it('is signed with the key of its email, and works for as long as that key is known', () => {
    expect(signUnsubscription(keysWith(2, 1, 3), { emailTrackingId, sender, recipient: 'reader@example.com' })).toBe(
      token,
    );
    expect(readUnsubscription(keysWith(2, 7), token)).toEqual(readUnsubscription(keys, token));
    expect(readUnsubscription(keysWith(7), token)).toBeUndefined();
    const unknown = () => signUnsubscription(keysWith(7), { emailTrackingId, sender, recipient: 'a@b.example' });
    expect(unknown).toThrow(UnknownSigningKeyError);
  });
});
