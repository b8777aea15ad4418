import { createSign, generateKeyPairSync, type KeyObject } from 'node:crypto';
import { uuidV7 } from '../../src/platform/clock/uuid-v7.js';
import { makeProviderCall, type ProviderCallResponse } from './provider-call.js';

export const SENDGRID_EVENTS_PATH = '/api/providers/sendgrid/events';

/** A signing key of SendGrid's Event Webhook. */
export class EventWebhookKey {
  private readonly privateKey: KeyObject;
  /** In the format in which SendGrid shows it: DER in base64. */
  readonly publicKey: string;
  readonly pem: string;

  constructor() {
    const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
    this.privateKey = privateKey;
    this.publicKey = publicKey.export({ type: 'spki', format: 'der' }).toString('base64');
    this.pem = publicKey.export({ type: 'spki', format: 'pem' }).toString();
  }

  /** The headers of a signed request with this body. @param timestamp in seconds since 1970 */
  sign(body: string | Buffer, timestamp: number | string = Math.floor(Date.now() / 1000)): Record<string, string> {
    const signature = createSign('sha256').update(String(timestamp)).update(body).sign(this.privateKey, 'base64');
    return {
      'content-type': 'application/json',
      'x-twilio-email-event-webhook-signature': signature,
      'x-twilio-email-event-webhook-timestamp': String(timestamp),
    };
  }
}

let sequence = 0;

/** An event as SendGrid posts it, with a new recipient and a new ID. */
export function sendGridEvent(type: string, more: object = {}): Record<string, unknown> {
  const number = (sequence += 1);
  return {
    email: `reader${number}@example.com`,
    timestamp: Math.floor(Date.now() / 1000),
    event: type,
    sg_event_id: `event-${number}`,
    mailbeacon_email_id: uuidV7(Date.now()),
    mailbeacon_attempt: '1',
    ...more,
  };
}

export async function postToSendGridRoute(
  address: string,
  body: string | Buffer,
  headers: Record<string, string>,
): Promise<ProviderCallResponse> {
  return (await makeProviderCall(address + SENDGRID_EVENTS_PATH, body, headers)).response;
}
