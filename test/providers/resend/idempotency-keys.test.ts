import type { Copy } from '../../../src/providers/copies.js';
import { idempotencyKeyOf } from '../../../src/providers/resend/emails-body.js';
import { outgoingEmail } from '../../support/outgoing-email.js';

const email = outgoingEmail();
const toAll = (...addresses: string[]): Copy => ({ to: addresses.map((address) => ({ address })), cc: [], bcc: [] });
const keyOf = (copy: Copy): string => idempotencyKeyOf(email, copy);

it('a repeated call has the same key, whatever the order and the letter case of its recipients', () => {
  const key = keyOf(toAll('a@example.test', 'B@example.test'));
  expect(keyOf(toAll('B@example.test', 'a@example.test'))).toBe(key);
  expect(keyOf(toAll('A@example.test', 'b@example.test'))).toBe(key);
});

it('a call for fewer recipients, and one of another email, have other keys', () => {
  const copies = [toAll('a@example.test', 'b@example.test'), toAll('a@example.test'), toAll('b@example.test')];
  const keys = copies.map(keyOf);
  const ofAnother = idempotencyKeyOf(outgoingEmail({ emailId: 'another' }), copies[0]!);
  expect(new Set([...keys, ofAnother]).size).toBe(4);
});
