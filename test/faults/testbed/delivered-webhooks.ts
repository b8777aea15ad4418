import { createHmac } from 'node:crypto';
import type { ReceivedWebhook, WebhookReceiver } from '../../support/webhook-receiver.js';
import type { DeliveredWebhook } from '../observations.js';

/** What the receiver was told by webhook and answered 2xx. */
export class DeliveredWebhooks {
  constructor(private readonly receiver: WebhookReceiver) {}

  /** Where the webhooks of an organization go, so that they are not taken for another's. */
  urlFor(organizationId: string): string {
    return `${this.receiver.url}/${organizationId}`;
  }

  /** @param secret as it was shown when the webhook was made */
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

/** Standard Webhooks 1.0.0, written down once more: what is proven here must not be what proves it. */
function isSigned({ id, headers, body }: ReceivedWebhook, secret: string): boolean {
  const key = Buffer.from(secret.replace('whsec_', ''), 'base64');
  const signed = `${id}.${headers['webhook-timestamp']}.${body}`;
  const signature = `v1,${createHmac('sha256', key).update(signed).digest('base64')}`;
  return headers['webhook-signature']?.split(' ').includes(signature) ?? false;
}
