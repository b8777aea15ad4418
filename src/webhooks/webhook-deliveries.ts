import { Inject, Injectable } from '@nestjs/common';
import { isUuid } from '../platform/clock/uuid-v7.js';
import { Database } from '../platform/database/database.js';
import { LOGGER, type Logger } from '../platform/logging/logger.js';
import { JobProducer } from '../platform/queue/job-producer.js';
import type { Author } from '../organizations/audit/record-audit.js';
import { recordWebhook } from './record-webhook.js';
import { TEST_EVENT } from './webhook-events.js';
import { toPage, type Page, type PageRequest } from '../platform/http/paging.js';
import {
  DELIVERY_COLUMNS,
  toDeliveryView,
  type DeliveryDetail,
  type DeliveryRow,
  type DeliveryView,
  type ReplayResponse,
} from './webhook-delivery-view.js';
import { wakeWebhookDeliveries } from './wake-webhook-deliveries.js';
import { BACK_TO_START, IS_UNDECIDED, REPLAY } from './replay-statement.js';
import { engagementBody, testBody, NEW_DELIVERY_ID } from './webhook-payloads.sql.js';
import { WebhookDeliveryNotFoundError, WebhookDisabledError, WebhookNotFoundError } from './webhook-errors.js';
import type { ReplayRange } from './webhook-requests.js';
import { WebhookLimits } from './webhook-limits.js';

/** Smaller than for other lists, because each delivery includes the receiver's responses. */
const MAX_PAGE = 100;
/** Maximum per replay, oldest first. The next replay continues. */
const MAX_REPLAY = 10_000;

/** Past and pending deliveries to the webhooks of an organization. Those that become due are attempted at once. */
@Injectable()
export class WebhookDeliveries {
  constructor(
    private readonly database: Database,
    private readonly limits: WebhookLimits,
    private readonly producer: JobProducer,
    @Inject(LOGGER) private readonly logger: Logger,
  ) {}

  /** Newest first. @throws WebhookNotFoundError */
  async list(organizationId: string, webhookId: string, page: PageRequest): Promise<Page<DeliveryView>> {
    const endpointId = await this.find(organizationId, webhookId);
    const limit = Math.min(page.limit, MAX_PAGE);
    const rows = await this.database.inReadTurn(organizationId, () =>
      this.database.query<DeliveryRow>(
        `select ${DELIVERY_COLUMNS} from webhook_deliveries d
          where d.endpoint_id = $1 and ($2::uuid is null or d.id < $2) order by d.id desc limit $3`,
        [endpointId, page.after?.[0] ?? null, limit + 1],
      ),
    );
    return toPage(rows, limit, toDeliveryView, (row) => [row.id]);
  }

  /** With the body of its requests. @throws WebhookNotFoundError, WebhookDeliveryNotFoundError */
  async get(organizationId: string, webhookId: string, deliveryId: string): Promise<DeliveryDetail> {
    const endpointId = await this.find(organizationId, webhookId);
    if (!isUuid(deliveryId)) throw new WebhookDeliveryNotFoundError();
    const [row] = await this.database.inReadTurn(organizationId, () =>
      this.database.query<DeliveryRow & { body: string | null }>(
        `select ${DELIVERY_COLUMNS}, coalesce(d.body, ${engagementBody('d')}) as body
           from webhook_deliveries d where d.endpoint_id = $1 and d.id = $2`,
        [endpointId, deliveryId],
      ),
    );
    if (!row) throw new WebhookDeliveryNotFoundError();
    return { ...toDeliveryView(row), body: row.body ?? '' };
  }

  /**
   * Creates a test delivery. It is attempted even while its endpoint is paused, and does not end the pause.
   * @throws WebhookNotFoundError, WebhookDisabledError, WebhookRateError
   */
  async test(author: Author, webhookId: string): Promise<DeliveryView> {
    const endpointId = await this.findEnabled(author.organizationId, webhookId);
    await this.limits.countTest(endpointId);
    const row = await this.database.transactionOf(author.organizationId, async (sql) => {
      const [made] = await sql.query<DeliveryRow>(
        `with d as (
         insert into webhook_deliveries (id, endpoint_id, type, body)
         values (${NEW_DELIVERY_ID}, $1, '${TEST_EVENT}', ${testBody('$1')}) returning *
       )
       select ${DELIVERY_COLUMNS} from d`,
        [endpointId],
      );
      await recordWebhook(sql, author, 'webhook.tested', endpointId, { deliveryId: made!.id });
      return made!;
    });
    await this.wake([row.id]);
    return toDeliveryView(row);
  }

  /**
   * Makes a delivery due now, whether it is pending, failed or delivered. Unless it is a test, this also ends the
   * endpoint's pause. An open or a click that waits for its verdict keeps waiting.
   * @throws WebhookNotFoundError, WebhookDeliveryNotFoundError, WebhookDisabledError, WebhookRateError
   */
  async retry(author: Author, webhookId: string, deliveryId: string): Promise<DeliveryView> {
    const endpointId = await this.findEnabled(author.organizationId, webhookId);
    const isTest = (await this.typeOf(endpointId, deliveryId)) === TEST_EVENT;
    await (isTest ? this.limits.countTest(endpointId) : this.limits.countRetry(endpointId));
    const row = await this.database.transactionOf(author.organizationId, async (sql) => {
      await sql.query(
        `with retried as (
         update webhook_deliveries set ${BACK_TO_START} where id = $2 and endpoint_id = $1 and lease_token is null
            and not ${IS_UNDECIDED}
         returning type
       )
       update webhook_endpoints set paused_until = null, asked_until = null
        where id = $1 and exists (select from retried where type <> '${TEST_EVENT}')`,
        [endpointId, deliveryId],
      );
      const [retried] = await sql.query<DeliveryRow>(
        `select ${DELIVERY_COLUMNS} from webhook_deliveries d where d.id = $2 and d.endpoint_id = $1`,
        [endpointId, deliveryId],
      );
      if (!retried) throw new WebhookDeliveryNotFoundError();
      await recordWebhook(sql, author, 'webhook.delivery-retried', endpointId, { deliveryId });
      return retried;
    });
    await this.wake([row.id]);
    return toDeliveryView(row);
  }

  /**
   * Makes all deliveries of that time due now that failed or wait for a later retry.
   * @throws WebhookNotFoundError, WebhookDisabledError, WebhookRateError
   */
  async replay(author: Author, webhookId: string, { since, until }: ReplayRange): Promise<ReplayResponse> {
    const endpointId = await this.findEnabled(author.organizationId, webhookId);
    await this.limits.countReplay(endpointId);
    const { chosen, ids } = await this.database.transactionOf(author.organizationId, async (sql) => {
      const [replayed] = await sql.query<{ chosen: number; ids: string[] }>(REPLAY, [
        endpointId,
        since,
        MAX_REPLAY,
        until,
      ]);
      await recordWebhook(sql, author, 'webhook.replayed', endpointId, {
        since,
        ...(until && { until }),
        replayed: replayed!.ids.length,
      });
      return replayed!;
    });
    await this.wake(ids);
    return { replayed: ids.length, more: chosen === MAX_REPLAY };
  }

  private wake(ids: readonly string[]): Promise<void> {
    return wakeWebhookDeliveries(this.producer, this.logger, ids);
  }

  private async typeOf(endpointId: string, deliveryId: string): Promise<DeliveryView['type']> {
    if (!isUuid(deliveryId)) throw new WebhookDeliveryNotFoundError();
    const [row] = await this.database.query<Pick<DeliveryView, 'type'>>(
      'select type from webhook_deliveries where id = $2 and endpoint_id = $1',
      [endpointId, deliveryId],
    );
    if (!row) throw new WebhookDeliveryNotFoundError();
    return row.type;
  }

  private async find(organizationId: string, webhookId: string): Promise<string> {
    return (await this.read(organizationId, webhookId)).id;
  }

  private async findEnabled(organizationId: string, webhookId: string): Promise<string> {
    const { id, enabled } = await this.read(organizationId, webhookId);
    if (!enabled) throw new WebhookDisabledError();
    return id;
  }

  private async read(organizationId: string, webhookId: string): Promise<{ id: string; enabled: boolean }> {
    if (!isUuid(webhookId)) throw new WebhookNotFoundError();
    const [row] = await this.database.query<{ id: string; enabled: boolean }>(
      'select id, enabled from webhook_endpoints where organization_id = $1 and id = $2 and deleted_at is null',
      [organizationId, webhookId],
    );
    if (!row) throw new WebhookNotFoundError();
    return row;
  }
}
