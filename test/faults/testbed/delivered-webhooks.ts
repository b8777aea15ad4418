import { createHmac } from 'node:crypto';
import type { ReceivedWebhook, WebhookReceiver } from '../../support/webhook-receiver.js';
import type { DeliveredWebhook } from '../observations.js';

/** The webhooks to which the receiver responded 2xx. */
export class DeliveredWebhooks {
  constructor(private readonly receiver: WebhookReceiver) {}

  /** A URL for each organization tells its webhooks from those of others. */
  urlFor(organizationId: string): string {
    return `${this.receiver.url}/${organizationId}`;
  }

  /** @param secret as returned when the webhook was created */
  of(organizationId: string, secret: string): DeliveredWebhook[] {
    const { pathname } = new URL(this.urlFor(organizationId));
    return this.receiver.received
      .filter(({ path, status = 0 }) => path === pathname && status >= 200 && status < 300)
      .map((webhook) => toDeliveredWebhook(webhook, secret));
  }
}

function toDeliveredWebhook(webhook: ReceivedWebhook, secret: string): DeliveredWebhook {
  const { id, body } = webhook;
  const { type, data } = JSON.parse(body) as Pick<DeliveredWebhook, 'type' | 'data'>;
  return { id, body, type, data, isSigned: isSigned(webhook, secret) };
}

/** Standard Webhooks 1.0.0, implemented independently: the code under test must not verify itself. */
function isSigned({ id, headers, body }: ReceivedWebhook, secret: string): boolean {
  const key = Buffer.from(secret.replace('whsec_', ''), 'base64');
  const signed = `${id}.${headers['webhook-timestamp']}.${body}`;
  const signature = `v1,${createHmac('sha256', key).update(signed).digest('base64')}`;
  return headers['webhook-signature']?.split(' ').includes(signature) ?? false;
}
