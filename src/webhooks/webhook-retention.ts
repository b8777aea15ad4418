import { Inject, Injectable } from '@nestjs/common';
import { SETTINGS, type RunSettings } from '../platform/config/settings.js';
import { Database } from '../platform/database/database.js';
import { lowestIdAt, timeOfId } from '../platform/database/id-time.sql.js';
import { PacedRetention } from '../platform/database/paced-retention.js';

/** Rows per statement: large enough for throughput, small enough to keep locks short. */
const BATCH = 5_000;
/** Per run. The next run continues. */
const MAX_BATCHES = 200;

const MAY_BE_DELETED = `(d.status <> 'pending' or not w.enabled)`;

/**
 * The oldest delivery that could be deleted before this run. Not one that a retry kept until after its retention: while
 * an organization repeats old deliveries, those of all others would stay as long.
 */
const oldest = (days: number): string =>
  `select ${timeOfId('d.id')} from webhook_deliveries d join webhook_endpoints w on w.id = d.endpoint_id
    where ${MAY_BE_DELETED}
      and coalesce(d.finished_at, d.next_attempt_at) < ${timeOfId('d.id')} + ${days} * interval '1 day'
    order by d.id limit 1`;

/**
 * Deletes deliveries older than $1 days, by the time in their IDs. Pending deliveries of enabled endpoints stay until
 * their retry schedule ends.
 */
const DELETE_OLD = `delete from webhook_deliveries where id in (
  select d.id from webhook_deliveries d join webhook_endpoints w on w.id = d.endpoint_id
   where d.id < ${lowestIdAt(`now() - $1 * interval '1 day'`)}
     and ${MAY_BE_DELETED}
   order by d.id limit ${BATCH} for update of d skip locked
) returning id`;

/** After an hour, every transaction that was writing a delivery when the endpoint was deleted has ended. */
const IS_LONG_DELETED = `deleted_at < now() - interval '1 hour'`;

const DELETE_DELIVERIES_OF_DELETED = `delete from webhook_deliveries where id in (
  select d.id from webhook_endpoints w join webhook_deliveries d on d.endpoint_id = w.id
   where w.${IS_LONG_DELETED} limit ${BATCH} for update of d skip locked
) returning id`;

const DELETE_ENDPOINTS = `delete from webhook_endpoints w
 where ${IS_LONG_DELETED} and not exists (select from webhook_deliveries where endpoint_id = w.id) returning id`;

const DELETE_SECRETS = `update webhook_endpoints set sealed_previous_secret = null, previous_secret_until = null
 where previous_secret_until <= now()`;

/** Deletes deliveries after the retention period. Until then, clients can list and replay them. */
@Injectable()
export class WebhookHistory {
  constructor(
    private readonly database: Database,
    @Inject(SETTINGS) private readonly settings: RunSettings,
    private readonly pace: PacedRetention,
  ) {}

  /** Any number of processes may run this at the same time. */
  async deleteOld(stop: AbortSignal): Promise<void> {
    await this.database.query(DELETE_SECRETS);
    const period = { setting: 'WEBHOOK_RETENTION_DAYS', days: this.settings.WEBHOOK_RETENTION_DAYS } as const;
    const days = await this.pace.daysToKeep(this.database, period, oldest(period.days));
    await this.repeat(DELETE_OLD, [days], stop);
    await this.repeat(DELETE_DELIVERIES_OF_DELETED, [], stop);
    await this.database.query(DELETE_ENDPOINTS);
  }

  private async repeat(statement: string, values: readonly unknown[], stop: AbortSignal): Promise<void> {
    for (let batch = 0; batch < MAX_BATCHES && !stop.aborted; batch++) {
      if ((await this.database.query(statement, values)).length < BATCH) return;
    }
  }
}
