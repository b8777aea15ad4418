import { createHmac, randomBytes } from 'node:crypto';
import { uuidV7 } from '../../src/platform/clock/uuid-v7.js';
import { makeProviderCall, type ProviderCallResponse } from './provider-call.js';

export const MAILGUN_EVENTS_PATH = '/api/providers/mailgun/events';

let sequence = 0;

/** `event-data` as Mailgun posts it, with a new recipient and a new ID. */
export function mailgunEvent(type: string, more: object = {}): Record<string, unknown> {
  const number = (sequence += 1);
  return {
    event: type,
    id: `event-${number}`,
    timestamp: Date.now() / 1000,
    'log-level': 'info',
    recipient: `reader${number}@example.com`,
    'user-variables': { mailbeacon_email_id: uuidV7(Date.now()), mailbeacon_attempt: '1' },
    ...more,
  };
}

/** The field `signature` of a call. @param timestamp in seconds since 1970 */
export function mailgunSignature(
  key: string,
  timestamp: string | number = String(Math.floor(Date.now() / 1000)),
  token = randomBytes(25).toString('hex'),
): Record<string, unknown> {
  return { timestamp, token, signature: createHmac('sha256', key).update(`${timestamp}${token}`).digest('hex') };
}

export async function postToMailgunRoute(
  address: string,
  body: string | Buffer,
  contentType = 'application/json',
): Promise<ProviderCallResponse> {
  const call = makeProviderCall(address + MAILGUN_EVENTS_PATH, body, { 'content-type': contentType });
  return (await call).response;
}
