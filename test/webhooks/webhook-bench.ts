import { Webhook } from 'standardwebhooks';
import type { Clock } from '../../src/platform/clock/clock.js';
import { uuidV7 } from '../../src/platform/clock/uuid-v7.js';
import { SecretBox } from '../../src/platform/encryption/secret-box.js';
import type { RecurringJob } from '../../src/platform/queue/jobs.js';
import { connectForBlocking, type RedisConnection } from '../../src/platform/redis/connect.js';
import type { DeliveryView } from '../../src/webhooks/webhook-delivery-view.js';
import { generateSecret } from '../../src/webhooks/webhook-secrets.js';
import type { WebhookView, WebhookWithSecret } from '../../src/webhooks/webhook-view.js';
import { eventually } from '../support/eventually.js';
import { requestRun } from '../support/recurring-runs.js';
import type { ReceivedWebhook, WebhookReceiver } from '../support/webhook-receiver.js';
import { TestService, type ApiResponse, type ServiceOptions, type TestClient } from '../support/service.js';

export const SECOND = 1_000;
export const MINUTE = 60 * SECOND;
export const HOUR = 60 * MINUTE;
export const DAY = 24 * HOUR;

const email = { from: 'a@acme.example', to: 'reader@example.com', subject: 'S', htmlContent: '<p>x</p>' };

/** The event, verified by the reference library, which also checks the time. */
export function verified(secret: string, { body, headers }: ReceivedWebhook): unknown {
  return new Webhook(secret).verify(body, headers);
}

/** A real service with webhooks and a clock that tests can advance. */
export class WebhookBench {
  private constructor(
    readonly service: TestService,
    readonly client: TestClient,
    private readonly redis: RedisConnection,
    private readonly passed: { ms: number },
  ) {}

  static async start(options: ServiceOptions = {}): Promise<WebhookBench> {
    const passed = { ms: 0 };
    const clock: Clock = { now: () => Date.now() + passed.ms };
    const environment = { WEBHOOK_ALLOW_PRIVATE_ADDRESSES: 'true', ...options.environment };
    const service = await TestService.start({ clock, ...options, environment });
    const redis = connectForBlocking(service.settings.REDIS_URL);
    return new WebhookBench(service, await service.organization(), redis, passed);
  }

  async stop(): Promise<void> {
    this.redis.disconnect();
    await this.service.stop();
  }

  async removeWebhooks(): Promise<void> {
    const { body } = await this.client.get<{ webhooks: WebhookView[] }>('/api/webhooks');
    for (const { id } of body.webhooks) await this.client.delete(`/api/webhooks/${id}`);
  }

  /** Resolves with the requests once this many have arrived. */
  arrived({ received }: WebhookReceiver, count: number): Promise<ReceivedWebhook[]> {
    return eventually(() => received.length >= count && [...received]);
  }

  async webhook(url: string, events?: string[]): Promise<WebhookWithSecret> {
    const { status, body } = await this.client.post<WebhookWithSecret>('/api/webhooks', { url, events });
    expect(status).toBe(201);
    return body;
  }

  async read(id: string): Promise<WebhookView> {
    return (await this.client.get<WebhookView>(`/api/webhooks/${id}`)).body;
  }

  patch(id: string, body: object): Promise<ApiResponse<WebhookView>> {
    return this.client.patch(`/api/webhooks/${id}`, body);
  }

  async deliveries(id: string): Promise<readonly DeliveryView[]> {
    const { body } = await this.client.get<{ deliveries: DeliveryView[] }>(`/api/webhooks/${id}/deliveries`);
    return body.deliveries;
  }

  /** The only delivery of a webhook, once it meets the condition. */
  delivery(id: string, isExpected: (delivery: DeliveryView) => boolean, limitMs?: number): Promise<DeliveryView> {
    return eventually(async () => {
      const [delivery] = await this.deliveries(id);
      return delivery !== undefined && isExpected(delivery) && delivery;
    }, limitMs);
  }

  async send(count = 1): Promise<void> {
    for (let sent = 0; sent < count; sent++) {
      expect((await this.client.post('/api/send', email)).status).toBe(200);
    }
    await eventually(() => this.isIdle(), 30_000);
  }

  /** An endpoint of a new organization, which avoids the limit of the API. */
  async endpoint(url: string): Promise<string> {
    const id = uuidV7(Date.now());
    const { sealed } = generateSecret(new SecretBox(this.service.settings.ENCRYPTION_KEYS!), id);
    await this.service.database.query(
      'insert into webhook_endpoints (id, organization_id, url, sealed_secret) values ($1, $2, $3, $4)',
      [id, this.client.organizationId, url, sealed],
    );
    return id;
  }

  /** Deliveries that are due now, stored as if an event had happened. */
  async write(endpointId: string, count: number): Promise<string[]> {
    return this.writeAll([endpointId], count);
  }

  /** A delivery that a worker claimed: due once its lease ends. */
  async writeLeased(endpointId: string, seconds: number): Promise<string> {
    const id = uuidV7(Date.now());
    await this.service.database.query(
      `insert into webhook_deliveries (id, endpoint_id, type, body, lease_token, next_attempt_at)
       values ($1, $2, 'EMAIL_SENT', '{"type":"EMAIL_SENT"}', gen_random_uuid(), now() + $3 * interval '1 s')`,
      [id, endpointId, seconds],
    );
    return id;
  }

  /** The same number for each endpoint, due at the same time. */
  async writeAll(endpointIds: readonly string[], each: number): Promise<string[]> {
    const endpoints = endpointIds.flatMap((id) => Array<string>(each).fill(id));
    const ids = endpoints.map(() => uuidV7(Date.now()));
    await this.service.database.query(
      `insert into webhook_deliveries (id, endpoint_id, type, body)
       select id, endpoint_id, 'EMAIL_SENT', '{"type":"EMAIL_SENT"}' from unnest($1::uuid[], $2::uuid[]) as d (id, endpoint_id)`,
      [ids, endpoints],
    );
    return ids;
  }

  /**
   * Advances time: the service's clock moves forward, and times in Postgres move back by as much, which has the same
   * effect for its clock.
   */
  async pass(milliseconds: number): Promise<void> {
    this.passed.ms += milliseconds;
    const back = (columns: string[]) => columns.map((name) => `${name} = ${name} - $1 * interval '1 ms'`).join(', ');
    const { database } = this.service;
    await database.query(
      `update webhook_endpoints set ${back(['previous_secret_until', 'failing_since', 'failed_at', 'paused_until', 'asked_until', 'deleted_at'])}`,
      [milliseconds],
    );
    await database.query(`update webhook_deliveries set ${back(['next_attempt_at', 'created_at'])}`, [milliseconds]);
  }

  /** Resets the service's clock; receivers check the time of a signature. */
  backToPresent(): void {
    this.passed.ms = 0;
  }

  /** Runs a sweep, and waits until everything due has been attempted. */
  async sweep(): Promise<void> {
    await this.run('sweep-webhooks');
    await eventually(() => this.isIdle(), 30_000);
  }

  /** Runs a recurring job now. */
  run(job: RecurringJob): Promise<void> {
    return requestRun(this.redis, job);
  }

  private async isIdle(): Promise<boolean> {
    const [row] = await this.service.database.query<{ busy: boolean }>(
      `select exists (
         select from webhook_deliveries d join webhook_endpoints w on w.id = d.endpoint_id
          where d.status = 'pending' and (d.lease_token is not null or (d.next_attempt_at <= now()
            and w.enabled and (w.paused_until is null or w.paused_until <= now())))) as busy`,
    );
    return !row!.busy;
  }
}
