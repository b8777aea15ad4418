import { Inject, Injectable } from '@nestjs/common';
import { SETTINGS, type RunSettings } from '../platform/config/settings.js';
import { Database, type Sql } from '../platform/database/database.js';
import { lowestIdAt, timeOfId } from '../platform/database/id-time.sql.js';
import { PacedRetention } from '../platform/database/paced-retention.js';
import { upToBytes } from '../platform/database/up-to-bytes.sql.js';
import { ERASED_ADDRESS } from './mailbox.js';

/** Of a row of `email_contents c`. A text-only body has no HTML; a body of a broadcast has variables. */
export const BODY_IS_GONE = `c.html = '' and c.text is null and c.variables is null`;

/** True if no content or no recipient is left. Of a row of `email_contents c`. */
export const IS_UNSENDABLE = `((${BODY_IS_GONE}) or c.to_addresses <@ array['${ERASED_ADDRESS}'])`;

/** Emails per transaction: few enough that nothing waits for long. */
const BATCH = 1_000;
/** Bounds one run; the next one continues. */
const MAX_BATCHES = 500;

/** Locks the row, so that one process at a time walks. */
const PROGRESS = `select after_id as "afterId" from body_retention for update skip locked`;

/**
 * The first of some emails whose bodies one statement may delete. Postgres knows the length of a body
 * without reading it.
 */
const nextOf = (emails: string): string =>
  upToBytes(
    'id',
    `select batch.id, octet_length(c.html) + coalesce(octet_length(c.text), 0) as bytes
       from (${emails} order by email_id limit ${BATCH}) as batch (id)
       left join email_contents c on c.email_id = batch.id`,
  );

/** An ID begins with the time of acceptance. $1 the last ID of the batch before, $2 days. */
const NEXT = nextOf(`
select email_id from email_contents
 where email_id > $1 and email_id < ${lowestIdAt(`now() - $2 * interval '1 day'`)}`);

/** Emails that were not final when the walk passed them, such as those scheduled for a late time. */
const NEXT_LATE = nextOf(`
select email_id from late_bodies l where not exists (select from pending_emails p where p.email_id = l.email_id)`);

/** When the first email was accepted that the walk has not passed. */
const OLDEST = `select ${timeOfId('email_id')} from email_contents
 where email_id > (select after_id from body_retention) order by email_id limit 1`;

const LOCK = `select id from emails where id = any($1::uuid[]) order by id for no key update`;
const PENDING = `select email_id as id from pending_emails where email_id = any($1::uuid[])`;
const DROP = `
with attachments as (delete from email_attachments where email_id = any($1::uuid[]))
update email_contents c set html = '', text = null, variables = null
 where c.email_id = any($1::uuid[]) and not (${BODY_IS_GONE})`;

/**
 * Deletes the bodies, attachments and variables of emails after EMAIL_CONTENT_RETENTION_DAYS. It walks each email once.
 * The job `forget-attachments` deletes contents of attachments that no email has any longer.
 */
@Injectable()
export class ContentRetention {
  constructor(
    private readonly database: Database,
    @Inject(SETTINGS) private readonly settings: Pick<RunSettings, 'EMAIL_CONTENT_RETENTION_DAYS'>,
    private readonly pace: PacedRetention,
  ) {}

  /** Any number of processes may run this at once. */
  async dropOldBodies(stop: AbortSignal): Promise<void> {
    const { EMAIL_CONTENT_RETENTION_DAYS } = this.settings;
    if (EMAIL_CONTENT_RETENTION_DAYS === 0) return;
    const period = { setting: 'EMAIL_CONTENT_RETENTION_DAYS', days: EMAIL_CONTENT_RETENTION_DAYS } as const;
    const days = await this.pace.daysToKeep(this.database, period, OLDEST);
    for (let batch = 0; batch < MAX_BATCHES && !stop.aborted; batch++) {
      if (!(await this.database.transaction((sql) => dropBatch(sql, days)))) return;
    }
  }
}

/** @returns true if more may be left */
async function dropBatch(sql: Sql, days: number): Promise<boolean> {
  const [progress] = await sql.query<{ afterId: string }>(PROGRESS);
  if (!progress) return false;
  const late = idsOf(await sql.query<{ id: string }>(NEXT_LATE));
  const retried = await drop(sql, late);
  await sql.query('delete from late_bodies where email_id = any($1::uuid[])', [
    late.filter((id) => !retried.includes(id)),
  ]);
  const next = idsOf(await sql.query<{ id: string }>(NEXT, [progress.afterId, days]));
  const waiting = await drop(sql, next);
  await sql.query('insert into late_bodies (email_id) select unnest($1::uuid[]) on conflict do nothing', [waiting]);
  if (next.length > 0) await sql.query('update body_retention set after_id = $1', [next.at(-1)]);
  return next.length > 0 || late.length > 0;
}

/** @returns the emails that are not final: their bodies stay */
async function drop(sql: Sql, ids: readonly string[]): Promise<string[]> {
  if (ids.length === 0) return [];
  await sql.query(LOCK, [ids]);
  const pending = new Set(idsOf(await sql.query<{ id: string }>(PENDING, [ids])));
  await sql.query(DROP, [ids.filter((id) => !pending.has(id))]);
  return [...pending];
}

function idsOf(rows: readonly { id: string }[]): string[] {
  return rows.map(({ id }) => id);
}
