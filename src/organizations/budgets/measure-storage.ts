import { Injectable } from '@nestjs/common';
import { firstUuidV7 } from '../../platform/clock/uuid-v7.js';
import { Database } from '../../platform/database/database.js';
import { NIL_UUID } from '../../platform/database/nil-uuid.js';
import { ROW_BYTES } from './budget.js';

/** How many days a row is kept after the end of its period, for inspection. */
const KEPT_DAYS = 7;

const DELETE_OLD = `
delete from budget_usage where period > to_timestamp(0) and period < now() - interval '${KEPT_DAYS} days'`;

/** An organization whose last measurement is older than a day. $1 organizations to skip. */
const NEXT = `
select organization_id as id, used, measured_at as "measuredAt", now() as "startedAt" from budget_usage
 where budget = 'storedBytes' and (measured_at is null or measured_at < now() - interval '1 day')
   and organization_id <> all($1::uuid[])
 order by measured_at nulls first limit 1`;

/** What an organization or one of its broadcasts can have any number of, and how it is read. */
interface Pages {
  /**
   * $1 owner, $2 last row of the page before. Returns the last row, the number of rows and their bytes: `octet_length`
   * reads the length of a large value without the value.
   */
  readonly sql: string;
  /** Sorts before the first row. */
  readonly first: string | Buffer;
  readonly rows: number;
}

/** $3 the first ID of emails that are accepted later, which count as used when they are stored. */
const EMAILS: Pages = {
  sql: `
with page as (select id from emails where organization_id = $1 and id > $2 and id < $3 order by id limit 5000)
select (select id from page order by id desc limit 1) as last, count(*)::integer as rows,
       sum(octet_length(c.html) + coalesce(octet_length(c.text), 0) + coalesce(pg_column_size(c.metadata), 0)
           + coalesce(pg_column_size(c.variables), 0) + coalesce(octet_length(c.subject), 0)
           + coalesce(pg_column_size(c.headers), 0)) as bytes
  from page left join email_contents c on c.email_id = page.id`,
  ...{ first: NIL_UUID, rows: 5_000 },
};

const ATTACHMENTS: Pages = {
  sql: `
with page as (
  select sha256, octet_length(bytes) as bytes from attachment_contents
   where organization_id = $1 and sha256 > $2 order by sha256 limit 5000
)
select (select sha256 from page order by sha256 desc limit 1) as last, count(*)::integer as rows, sum(bytes) as bytes
  from page`,
  ...{ first: Buffer.alloc(0), rows: 5_000 },
};

/** Each broadcast has a message, and no index finds the messages of an organization. */
const MESSAGES: Pages = {
  sql: `
with page as (select id, message_id from broadcasts where organization_id = $1 and id > $2 order by id limit 5000)
select (select id from page order by id desc limit 1) as last, count(*)::integer as rows,
       sum(coalesce(octet_length(m.html), 0) + coalesce(octet_length(m.text), 0) + coalesce(octet_length(m.mjml), 0)
           + coalesce(octet_length(m.subject), 0) + coalesce(pg_column_size(m.headers), 0)) as bytes
  from page left join messages m on m.id = page.message_id`,
  ...{ first: NIL_UUID, rows: 5_000 },
};

/** A page is smaller, because a template has any number of versions. */
const TEMPLATES: Pages = {
  sql: `
with page as (select id from templates where organization_id = $1 and id > $2 order by id limit 100)
select (select id from page order by id desc limit 1) as last, (select count(*)::integer from page) as rows,
       sum(coalesce(octet_length(v.html_content), 0) + coalesce(octet_length(v.compiled_html), 0)
           + coalesce(octet_length(v.text_content), 0) + coalesce(octet_length(v.subject), 0)) as bytes
  from page left join template_versions v on v.template_id = page.id`,
  ...{ first: NIL_UUID, rows: 100 },
};

const BROADCASTS = 'select id from broadcasts where organization_id = $1';

const listOf = (table: string, owner: string, bytes: string): Pages => ({
  sql: `
with page as (select * from ${table} where ${owner} = $1 and address_key > $2 order by address_key limit 50000)
select max(address_key) as last, count(*)::integer as rows,
       sum(${ROW_BYTES} + octet_length(address) + ${bytes}) as bytes from page`,
  ...{ first: '', rows: 50_000 },
});
const RECIPIENTS = listOf(
  'broadcast_recipients',
  'broadcast_id',
  'coalesce(pg_column_size(variables), 0) + coalesce(pg_column_size(metadata), 0)',
);
/** An address with several reasons can be at the end of a page; then not all of its reasons count. */
const SUPPRESSIONS = listOf('suppressions', 'organization_id', 'coalesce(octet_length(note), 0)');

/**
 * Adds the bytes that were used since the measurement began to the measured ones, unless another process has measured
 * meanwhile: both would add the difference. $1 organization, $2 used before, $3 measured, $4 the measurement before.
 */
const STORE = `
update budget_usage set used = greatest(0, used - $2::bigint + $3::bigint), measured_at = now()
 where organization_id = $1 and budget = 'storedBytes' and period = to_timestamp(0)
   and measured_at is not distinct from $4::timestamptz`;

interface Due extends Record<string, unknown> {
  readonly id: string;
  readonly used: string;
  readonly measuredAt: Date | null;
  readonly startedAt: Date;
}

interface Page {
  readonly last: unknown;
  readonly rows: number;
  readonly bytes: string | null;
}

/** Measures what organizations store, because deletions do not return any bytes to the budget. */
@Injectable()
export class StorageMeasurements {
  constructor(private readonly database: Database) {}

  /**
   * Measures every organization once a day, in statements that each read at most a page. If a statement fails for one
   * organization, the others are still measured.
   * @throws the last error, once all others are measured
   */
  async run(stop: AbortSignal): Promise<void> {
    await this.database.query(DELETE_OLD);
    const failed: string[] = [];
    let failure: unknown;
    while (!stop.aborted) {
      const [next] = await this.database.query<Due>(NEXT, [failed]);
      if (!next) break;
      await this.measure(next).catch((error: unknown) => {
        failed.push(next.id);
        failure = error;
      });
    }
    if (failed.length > 0) throw failure;
  }

  private async measure({ id: organizationId, used, measuredAt, startedAt }: Due): Promise<void> {
    let bytes = await this.read(EMAILS, organizationId, firstUuidV7(startedAt.getTime()));
    for (const pages of [ATTACHMENTS, MESSAGES, TEMPLATES, SUPPRESSIONS])
      bytes += await this.read(pages, organizationId);
    const broadcasts = await this.database.query<{ id: string }>(BROADCASTS, [organizationId]);
    for (const { id } of broadcasts) bytes += await this.read(RECIPIENTS, id);
    await this.database.query(STORE, [organizationId, used, bytes, measuredAt]);
  }

  private async read({ sql, first, rows }: Pages, owner: string, ...more: string[]): Promise<number> {
    let bytes = 0;
    for (let after: unknown = first; ;) {
      const [page] = await this.database.query<Page>(sql, [owner, after, ...more]);
      bytes += Number(page!.bytes ?? 0);
      if (page!.rows < rows) return bytes;
      after = page!.last;
    }
  }
}
