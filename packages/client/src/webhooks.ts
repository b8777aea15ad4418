import type {
  ChangeWebhook,
  CreateWebhook,
  ReplayWebhook,
  Webhook,
  WebhookDelivery,
  WebhookDeliveryDetail,
  WebhookDeliveryList,
  WebhookList,
  WebhookReplay,
  WebhookWithSecret,
} from './api-types.js';
import { listOf } from './list-of.js';
import type { Pages } from './pages.js';
import { path } from './path.js';
import type { Query } from './query.js';
import type { CallOptions } from './call.js';
import type { Transport } from './transport.js';

/** `client.webhooks` */
export class Webhooks {
  readonly #transport: Transport;

  /** @internal */
  constructor(transport: Transport) {
    this.#transport = transport;
  }

  list(query?: Query<'listWebhooks'>, options?: CallOptions): Pages<Webhook> {
    return listOf(this.#transport, { path: '/api/webhooks', query, options }, (body: WebhookList) => body.webhooks);
  }

  /** Only this response contains the secret, which `verifyWebhook` needs. */
  create(webhook: CreateWebhook, options?: CallOptions): Promise<WebhookWithSecret> {
    return this.#transport.json({ method: 'POST', path: '/api/webhooks', body: webhook, options });
  }

  get(id: string, options?: CallOptions): Promise<Webhook> {
    return this.#transport.json({ method: 'GET', path: path`/api/webhooks/${id}`, options });
  }

  /** Changes, disables or enables a webhook. */
  change(id: string, body: ChangeWebhook, options?: CallOptions): Promise<Webhook> {
    return this.#transport.json({
      method: 'PATCH',
      path: path`/api/webhooks/${id}`,
      body,
      isRepeatable: true,
      options,
    });
  }

  delete(id: string, options?: CallOptions): Promise<void> {
    return this.#transport.json({ method: 'DELETE', path: path`/api/webhooks/${id}`, options });
  }

  /** Creates a new secret. The old one also signs for 24 hours. */
  rotateSecret(id: string, options?: CallOptions): Promise<WebhookWithSecret> {
    return this.#transport.json({ method: 'POST', path: path`/api/webhooks/${id}/rotate-secret`, options });
  }

  /** Sends a `WEBHOOK_TEST` event. */
  test(id: string, options?: CallOptions): Promise<WebhookDelivery> {
    return this.#transport.json({ method: 'POST', path: path`/api/webhooks/${id}/test`, options });
  }

  /** Deliveries of 30 days, newest first. */
  deliveries(id: string, query?: Query<'listWebhookDeliveries'>, options?: CallOptions): Pages<WebhookDelivery> {
    const call = { path: path`/api/webhooks/${id}/deliveries`, query, options };
    return listOf(this.#transport, call, (body: WebhookDeliveryList) => body.deliveries);
  }

  /** A delivery with the body of its requests. */
  delivery(id: string, deliveryId: string, options?: CallOptions): Promise<WebhookDeliveryDetail> {
    return this.#transport.json({
      method: 'GET',
      path: path`/api/webhooks/${id}/deliveries/${deliveryId}`,
      options,
    });
  }

  /** Sends a delivery once more. */
  retryDelivery(id: string, deliveryId: string, options?: CallOptions): Promise<WebhookDelivery> {
    const route = path`/api/webhooks/${id}/deliveries/${deliveryId}/retry`;
    return this.#transport.json({ method: 'POST', path: route, options });
  }

  /** Resends deliveries of a time range that failed or still wait. */
  replay(id: string, body: ReplayWebhook, options?: CallOptions): Promise<WebhookReplay> {
    return this.#transport.json({ method: 'POST', path: path`/api/webhooks/${id}/replay`, body, options });
  }
}
