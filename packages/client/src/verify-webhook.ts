import { MailbeaconError } from './mailbeacon-error.js';
import type { WebhookEvent } from './webhook-event.js';

/** Headers of a request, as `Headers` or in Node's format. */
type ReceivedHeaders = Headers | Readonly<Record<string, string | readonly string[] | undefined>>;

export interface ReceivedWebhook {
  readonly headers: ReceivedHeaders;
  /** The raw body, before any parsing. */
  readonly body: string | Uint8Array;
  /** The secret of the webhook, `whsec_…`. */
  readonly secret: string;
  /** How far the time in the headers may differ from the local time, in seconds: 300 by default. */
  readonly toleranceSeconds?: number;
}

const TOLERANCE_SECONDS = 300;
const SIGNATURE = /^v1,([A-Za-z0-9+/]{43}=)$/;

/**
 * Checks the signature of an event (Standard Webhooks 1.0.0) and returns it with its ID, which is the same each time
 * the event arrives. Throws a `MailbeaconError` with the status 401 if it is not genuine, or too old: possibly a
 * replay; and a `TypeError` if the secret is malformed.
 */
export async function verifyWebhook(received: ReceivedWebhook): Promise<WebhookEvent & { readonly id: string }> {
  const { body, toleranceSeconds = TOLERANCE_SECONDS } = received;
  const [id, at, signatures] = ['webhook-id', 'webhook-timestamp', 'webhook-signature'].map((name) =>
    headerOf(received.headers, name),
  ) as [string, string, string];
  if (!/^\d{1,12}$/.test(at) || !(Math.abs(Date.now() / 1000 - Number(at)) <= toleranceSeconds))
    throw refusal('The time of the webhook is missing or too far from now');
  const bytes = typeof body === 'string' ? new TextEncoder().encode(body) : body;
  const signed = joined(new TextEncoder().encode(`${id}.${at}.`), bytes);
  const key = await importedKey(received.secret);
  for (const one of signatures.split(' ')) {
    const [, signature] = SIGNATURE.exec(one) ?? [];
    // Compares in constant time.
    if (signature && (await crypto.subtle.verify('HMAC', key, fromBase64(signature), signed)))
      return { ...(JSON.parse(new TextDecoder().decode(bytes)) as WebhookEvent), id };
  }
  throw refusal('The signature of the webhook is wrong');
}

function headerOf(headers: ReceivedHeaders, name: string): string {
  if (headers instanceof Headers) return headers.get(name) ?? '';
  const value = headers[name];
  return typeof value === 'string' ? value : '';
}

async function importedKey(secret: string) {
  const bytes = secretBytes(secret);
  if (bytes.length === 0) throw new TypeError('The secret of the webhook is empty');
  return crypto.subtle.importKey('raw', bytes, { name: 'HMAC', hash: 'SHA-256' }, false, ['verify']);
}

function secretBytes(secret: string): Uint8Array<ArrayBuffer> {
  try {
    return fromBase64(secret.replace(/^whsec_/, ''));
  } catch (cause) {
    throw new TypeError('The secret of the webhook is malformed: it is whsec_ and text in base64', { cause });
  }
}

function fromBase64(text: string): Uint8Array<ArrayBuffer> {
  return Uint8Array.from(atob(text), (character) => character.charCodeAt(0));
}

function joined(first: Uint8Array, second: Uint8Array): Uint8Array<ArrayBuffer> {
  const all = new Uint8Array(first.length + second.length);
  all.set(first);
  all.set(second, first.length);
  return all;
}

function refusal(message: string): MailbeaconError {
  return new MailbeaconError({ status: 401, message, requestId: '' });
}
