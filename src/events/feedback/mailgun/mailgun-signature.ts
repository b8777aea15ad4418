import { createHmac, timingSafeEqual } from 'node:crypto';
import { isStale } from '../call-age.js';
import { fieldsOf } from '../provider-event-fields.js';

/**
 * Mailgun repeats a call for about 8 hours, and does not document that it signs a repeat again: its signature may
 * be as old.
 */
const MAX_AGE_MS = 9 * 60 * 60_000;

const TOKEN = /^[\x21-\x7e]{1,200}$/;
const SHA256_IN_HEX = /^[0-9a-f]{64}$/i;

export interface MailgunSignature {
  /** The text that is signed. It says nothing about the event. */
  readonly signed: string;
  /** One by the account, and for the event of a subaccount one by its primary account. */
  readonly signatures: readonly Buffer[];
}

/**
 * Reads `signature` of a call: `unsigned` if it is missing or malformed, `stale` if its time is older than 9 hours or
 * more than 10 minutes ahead.
 * @param now in milliseconds since 1970
 */
export function readMailgunSignature(value: unknown, now: number): MailgunSignature | 'unsigned' | 'stale' {
  const { timestamp, token, signature, 'parent-signature': parent } = fieldsOf(value) ?? {};
  const seconds = typeof timestamp === 'number' ? String(timestamp) : timestamp;
  if (typeof seconds !== 'string' || !/^\d{1,12}$/.test(seconds)) return 'unsigned';
  if (typeof token !== 'string' || !TOKEN.test(token)) return 'unsigned';
  const signatures = [signature, parent].flatMap((one) =>
    typeof one === 'string' && SHA256_IN_HEX.test(one) ? [Buffer.from(one, 'hex')] : [],
  );
  if (signatures.length === 0) return 'unsigned';
  return isStale(Number(seconds) * 1000, now, MAX_AGE_MS) ? 'stale' : { signed: seconds + token, signatures };
}

/** True if one of the keys made one of the signatures. */
export function hasMailgunSigned(keys: readonly string[], { signed, signatures }: MailgunSignature): boolean {
  const expected = keys.map((key) => createHmac('sha256', key).update(signed).digest());
  return signatures.some((signature) => expected.some((one) => timingSafeEqual(one, signature)));
}
