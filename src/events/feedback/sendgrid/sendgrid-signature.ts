import { createVerify, type KeyObject } from 'node:crypto';
import type { IncomingHttpHeaders } from 'node:http';
import { isStale } from '../call-age.js';

const SIGNATURE_HEADER = 'x-twilio-email-event-webhook-signature';
const TIMESTAMP_HEADER = 'x-twilio-email-event-webhook-timestamp';

/** SendGrid repeats a call for up to 24 hours. */
const MAX_AGE_MS = 24 * 60 * 60_000;

/** A DER-encoded ECDSA signature on P-256 has at most 72 bytes. */
const BASE64_SIGNATURE = /^[A-Za-z0-9+/]{10,96}={0,2}$/;
const DER_SEQUENCE = 0x30;

export interface SendGridSignature {
  readonly bytes: Buffer;
  /** The timestamp as sent, which is part of the signed text. */
  readonly timestamp: string;
}

/**
 * Reads the signature headers of a call: `unsigned` if they are missing or malformed, `stale` if the time is older
 * than 24 hours or more than 10 minutes ahead.
 * @param now in milliseconds since 1970
 */
export function readSendGridSignature(
  headers: IncomingHttpHeaders,
  now: number,
): SendGridSignature | 'unsigned' | 'stale' {
  const { [SIGNATURE_HEADER]: signature, [TIMESTAMP_HEADER]: timestamp } = headers;
  if (typeof signature !== 'string' || typeof timestamp !== 'string') return 'unsigned';
  if (!BASE64_SIGNATURE.test(signature) || !/^\d{1,12}$/.test(timestamp)) return 'unsigned';
  const bytes = Buffer.from(signature, 'base64');
  if (bytes[0] !== DER_SEQUENCE || bytes[1] !== bytes.length - 2) return 'unsigned';
  return isStale(Number(timestamp) * 1000, now, MAX_AGE_MS) ? 'stale' : { bytes, timestamp };
}

/** True if one of the keys made the signature of the timestamp followed by the body, exactly as they were sent. */
export function hasSendGridSigned(
  keys: readonly KeyObject[],
  { bytes, timestamp }: SendGridSignature,
  body: Buffer,
): boolean {
  return keys.some((key) => createVerify('sha256').update(timestamp).update(body).verify(key, bytes));
}
