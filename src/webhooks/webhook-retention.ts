import { Inject, Injectable } from '@nestjs/common';
import { SETTINGS, type RunSettings } from '../platform/config/settings.js';
import { Database } from '../platform/database/database.js';

/** Rows per statement: many, but no lock is held for long. */
const BATCH = 5_000;
/** In one run; the next one goes on. */
const MOST_BATCHES = 200;

/**
 * Deliveries older than $1 days, by the time in their ids. Those that an enabled endpoint still waits for stay: they
 * end by their schedule.
 */
const FORGET_OLD = `delete from webhook_deliveries where id in (
  select d.id from webhook_deliveries d join webhook_endpoints w on w.id = d.endpoint_id
   where d.id < (lpad(to_hex((extract(epoch from now() - $1 * interval '1 day') * 1000)::bigint), 12, '0') || repeat('0', 20))::uuid
     and (d.status <> 'pending' or not w.enabled)
   order by d.id limit ${BATCH} for update of d skip locked
) returning id`;

/** An hour later: whoever was about to write a delivery when the endpoint was deleted is through by then. */
const IS_LONG_DELETED = `deleted_at < now() - interval '1 hour'`;

const FORGET_DELIVERIES_OF_DELETED = `delete from webhook_deliveries where id in (
  select d.id from webhook_endpoints w join webhook_deliveries d on d.endpoint_id = w.id
   where w.${IS_LONG_DELETED} limit ${BATCH} for update of d skip locked
) returning id`;

const FORGET_DELETED = `delete from webhook_endpoints w
 where ${IS_LONG_DELETED} and not exists (select from webhook_deliveries where endpoint_id = w.id) returning id`;

const FORGET_SECRETS = `update webhook_endpoints set sealed_previous_secret = null, previous_secret_until = null
 where previous_secret_until <= now()`;

/** What was delivered is kept for a while, to be looked at and replayed, and then forgotten. */
@Injectable()
export class WebhookHistory {
  constructor(
    private readonly database: Database,
    @Inject(SETTINGS) private readonly settings: RunSettings,
  ) {}

  /** Any number of processes may do this at once. */
  async forgetOld(): Promise<void> {
    await this.database.query(FORGET_SECRETS);
    await this.repeat(FORGET_OLD, [this.settings.WEBHOOK_RETENTION_DAYS]);
    await this.repeat(FORGET_DELIVERIES_OF_DELETED, []);
    await this.database.query(FORGET_DELETED);
  }

  private async repeat(statement: string, values: readonly unknown[]): Promise<void> {
    for (let batch = 0; batch < MOST_BATCHES; batch++) {
      if ((await this.database.query(statement, values)).length < BATCH) return;
    }
  }
}
