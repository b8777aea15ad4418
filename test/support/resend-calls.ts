import { createHmac } from 'node:crypto';
import { uuidV7 } from '../../src/platform/clock/uuid-v7.js';
import { makeProviderCall, type ProviderCallResponse } from './provider-call.js';

export const RESEND_EVENTS_PATH = '/api/providers/resend/events';

let sequence = 0;

/** An event as Resend posts it, about a new recipient. @param more fields of `data` */
export function resendEvent(type: string, more: object = {}): Record<string, unknown> {
  const number = (sequence += 1);
  return {
    type,
    created_at: new Date().toISOString(),
    data: {
      created_at: new Date().toISOString(),
      email_id: `email-${number}`,
      from: 'Ada <ada@acme.example>',
      to: [`reader${number}@example.com`],
      subject: 'S',
      tags: { mailbeacon_email_id: uuidV7(Date.now()), mailbeacon_recipients: '1' },
      ...more,
    },
  };
}

export interface SigningOptions {
  readonly id?: string;
  /** In seconds since 1970. */
  readonly timestamp?: number | string;
  readonly prefix?: 'svix' | 'webhook';
}

/** The headers of a signed call with this body. */
export function resendHeaders(
  secret: string,
  body: string | Buffer,
  { id = `msg_${(sequence += 1)}`, timestamp = Math.floor(Date.now() / 1000), prefix = 'svix' }: SigningOptions = {},
): Record<string, string> {
  const key = Buffer.from(secret.slice('whsec_'.length), 'base64');
  const signature = createHmac('sha256', key).update(`${id}.${timestamp}.`).update(body).digest('base64');
  return {
    'content-type': 'application/json',
    [`${prefix}-id`]: id,
    [`${prefix}-timestamp`]: String(timestamp),
    [`${prefix}-signature`]: `v1,${signature}`,
  };
}

export async function postToResendRoute(
  address: string,
  body: string | Buffer,
  headers: Record<string, string>,
): Promise<ProviderCallResponse> {
  return (await makeProviderCall(address + RESEND_EVENTS_PATH, body, headers)).response;
}
