import { uuidV7 } from '../../src/platform/clock/uuid-v7.js';
import { makeProviderCall, type ProviderCallResponse } from './provider-call.js';

export const POSTMARK_EVENTS_PATH = '/api/providers/postmark/events';

let sequence = 0;

/** A body as Postmark posts it, with a new recipient and new IDs. */
export function postmarkEvent(type: string, more: object = {}): Record<string, unknown> {
  const number = (sequence += 1);
  const [address, now] = [`reader${number}@example.com`, new Date().toISOString()];
  const isAboutBounce = type === 'Bounce' || type === 'SpamComplaint';
  return {
    RecordType: type,
    ServerID: 23,
    MessageStream: 'outbound',
    MessageID: `883953f4-6105-42a2-a16a-${String(number).padStart(12, '0')}`,
    ...(isAboutBounce ? { ID: number, Email: address, BouncedAt: now } : { Recipient: address }),
    ...(type === 'Delivery' && { DeliveredAt: now, Details: 'smtp;250 OK' }),
    ...(type === 'SubscriptionChange' && { ChangedAt: now, SuppressSending: true }),
    Metadata: { mailbeacon_email_id: uuidV7(Date.now()), mailbeacon_attempt: '1' },
    ...more,
  };
}

interface Response extends ProviderCallResponse {
  readonly challenge: string | null;
}

/** @param authorization the header, or undefined for none */
export async function postToPostmarkRoute(
  address: string,
  body: string | Buffer,
  authorization: string | undefined,
): Promise<Response> {
  const { response, headers } = await makeProviderCall(address + POSTMARK_EVENTS_PATH, body, {
    'content-type': 'application/json',
    ...(authorization !== undefined && { authorization }),
  });
  return { ...response, challenge: headers.get('www-authenticate') };
}

/** The header of HTTP basic authentication. @param credentials user:password */
export function basic(credentials: string): string {
  return `Basic ${Buffer.from(credentials).toString('base64')}`;
}
