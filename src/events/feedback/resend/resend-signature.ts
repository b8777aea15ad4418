import { createHmac, timingSafeEqual } from 'node:crypto';
import type { IncomingHttpHeaders } from 'node:http';

/** Resend signs each repeat again, so the tolerance that Standard Webhooks recommends is enough. */
const TOLERANCE_MS = 5 * 60_000;

const ID = /^[\x21-\x7e]{1,200}$/;
const SHA256_IN_BASE64 = /^v1,([A-Za-z0-9+/]{43}=)$/;
/** While the secret changes, Resend signs with several. */
const MAX_SIGNATURES = 10;

export interface ResendSignature {
  /** The ID of the call, the same in a repeat. */
  readonly id: string;
  /** The timestamp as sent, which is part of the signed text. */
  readonly timestamp: string;
  readonly signatures: readonly Buffer[];
}

/**
 * Reads the signature headers of a call: `unsigned` if they are missing or malformed, `stale` if the time is more than
 * 5 minutes ago or ahead.
 * @param now in milliseconds since 1970
 */
export function readResendSignature(headers: IncomingHttpHeaders, now: number): ResendSignature | 'unsigned' | 'stale' {
  // Svix, which sends the calls for Resend, has its own names for the headers of Standard Webhooks.
  const prefix = headers['svix-id'] === undefined ? 'webhook' : 'svix';
  const [id, timestamp, list] = ['id', 'timestamp', 'signature'].map((name) => headers[`${prefix}-${name}`]);
  if (typeof id !== 'string' || typeof timestamp !== 'string' || typeof list !== 'string') return 'unsigned';
  if (!ID.test(id) || !/^\d{1,12}$/.test(timestamp)) return 'unsigned';
  const encoded = list.split(' ').flatMap((entry) => SHA256_IN_BASE64.exec(entry)?.[1] ?? []);
  if (encoded.length === 0 || encoded.length > MAX_SIGNATURES) return 'unsigned';
  if (Math.abs(now - Number(timestamp) * 1000) > TOLERANCE_MS) return 'stale';
  return { id, timestamp, signatures: encoded.map((text) => Buffer.from(text, 'base64')) };
}

/** True if one of the secrets made one of the signatures of the ID, the timestamp and the body, as they were sent. */
export function isSignedByResend(
  secrets: readonly string[],
  { id, timestamp, signatures }: ResendSignature,
  body: Buffer,
): boolean {
  const expected = secrets.map((secret) =>
    createHmac('sha256', Buffer.from(secret.replace(/^whsec_/, ''), 'base64'))
      .update(`${id}.${timestamp}.`)
      .update(body)
      .digest(),
  );
  return signatures.some((signature) => expected.some((one) => timingSafeEqual(one, signature)));
}
