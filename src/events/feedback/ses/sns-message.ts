import { createVerify, type KeyObject } from 'node:crypto';
import { parseUrl } from '../../../platform/addresses/parse-url.js';
import { fieldsOf } from '../provider-event-fields.js';

const TYPES = ['Notification', 'SubscriptionConfirmation', 'UnsubscribeConfirmation'] as const;

/** The envelope in which SNS posts an event. */
export interface SnsMessage {
  readonly type: (typeof TYPES)[number];
  readonly topic: string;
  /** JSON of SES, or a sentence of SNS. */
  readonly message: string;
  readonly certificateUrl: string;
  readonly subscribeUrl: string | undefined;
  readonly signature: Buffer;
  readonly hash: 'RSA-SHA1' | 'RSA-SHA256';
  /** Milliseconds since the epoch. */
  readonly time: number;
  /** The text that SNS signs. */
  readonly signed: string;
}

/** The signed fields, in the order in which SNS signs them. A subject is signed only if present. */
const SIGNED_FIELDS = {
  Notification: ['Message', 'MessageId', 'Subject', 'Timestamp', 'TopicArn', 'Type'],
  SubscriptionConfirmation: ['Message', 'MessageId', 'SubscribeURL', 'Timestamp', 'Token', 'TopicArn', 'Type'],
  UnsubscribeConfirmation: ['Message', 'MessageId', 'SubscribeURL', 'Timestamp', 'Token', 'TopicArn', 'Type'],
} as const;

const HASHES: ReadonlyMap<unknown, SnsMessage['hash']> = new Map([
  ['1', 'RSA-SHA1'],
  ['2', 'RSA-SHA256'],
]);
const BASE64_SIGNATURE = /^[A-Za-z0-9+/]{100,1400}={0,2}$/;
const HOST = /^sns\.[a-z]{2}(?:-[a-z]+)+-\d+\.amazonaws\.com(?:\.cn)?$/;

/** Reads a message of SNS; undefined if a field is missing or of the wrong type. Verifies nothing. */
export function readSnsMessage(value: unknown): SnsMessage | undefined {
  const fields = fieldsOf(value);
  const type = TYPES.find((known) => known === fields?.Type);
  if (!fields || !type) return undefined;
  const { TopicArn: topic, Message: message, SigningCertURL: certificateUrl, SubscribeURL: subscribeUrl } = fields;
  const { Signature: signature, SignatureVersion: version, Timestamp: timestamp } = fields;
  const hash = HASHES.get(version);
  if (typeof topic !== 'string' || typeof message !== 'string' || typeof certificateUrl !== 'string') return undefined;
  if (typeof signature !== 'string' || !BASE64_SIGNATURE.test(signature) || !hash) return undefined;
  if (typeof timestamp !== 'string' || !Number.isFinite(Date.parse(timestamp))) return undefined;
  const names = SIGNED_FIELDS[type].filter((name) => name !== 'Subject' || typeof fields.Subject === 'string');
  if (!names.every((name) => typeof fields[name] === 'string')) return undefined;
  return {
    ...{ type, topic, message, certificateUrl, hash },
    subscribeUrl: typeof subscribeUrl === 'string' ? subscribeUrl : undefined,
    signature: Buffer.from(signature, 'base64'),
    time: Date.parse(timestamp),
    signed: names.map((name) => `${name}\n${String(fields[name])}\n`).join(''),
  };
}

/** True if SNS signed the message with the key of its certificate. */
export function isSignedWith(key: KeyObject, { hash, signed, signature }: SnsMessage): boolean {
  return key.asymmetricKeyType === 'rsa' && createVerify(hash).update(signed).verify(key, signature);
}

/** The address if it is one of SNS itself over HTTPS. Anyone can name others in a message. */
export function snsUrl(text: string): URL | undefined {
  const url = parseUrl(text);
  if (url?.protocol !== 'https:' || !HOST.test(url.hostname)) return undefined;
  return url.port === '' && url.username === '' && url.password === '' ? url : undefined;
}

/** The address if it is one of a certificate of SNS. */
export function snsCertificateUrl(text: string): URL | undefined {
  const url = snsUrl(text);
  return url && /^\/[\w-]{1,200}\.pem$/.test(url.pathname) && url.search === '' && url.hash === '' ? url : undefined;
}
