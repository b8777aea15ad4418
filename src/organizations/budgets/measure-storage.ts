import { Injectable } from '@nestjs/common';
import { Database } from '../../platform/database/database.js';
import { ROW_BYTES } from './budget.js';
import { NIL_UUID } from '../../platform/database/nil-uuid.js';

const EMAILS = 5_000;
/** How many days a row is kept after the end of its period, for inspection. */
const KEPT_DAYS = 7;

const DELETE_OLD = `
delete from budget_usage where period > to_timestamp(0) and period < now() - interval '${KEPT_DAYS} days'`;

/** An organization whose last measurement is older than a day. $1 organizations to skip. */
const NEXT = `
select organization_id as id, used, now() as "startedAt" from budget_usage
 where budget = 'storedBytes' and (measured_at is null or measured_at < now() - interval '1 day')
   and organization_id <> all($1::uuid[])
 order by measured_at nulls first limit 1`;

/**
 * `octet_length` reads the length of a large value without the value. $1 organization, $2 last email before, $3 first
 * ID after.
 */
const EMAIL_BYTES = `
with page as (select id from emails where organization_id = $1 and id > $2 and id < $3 order by id limit ${EMAILS})
select (select id from page order by id desc limit 1) as last, count(*)::integer as emails,
       coalesce(sum(octet_length(c.html) + coalesce(octet_length(c.text), 0) + coalesce(pg_column_size(c.metadata), 0)
                    + coalesce(pg_column_size(c.variables), 0)), 0) as bytes
  from page left join email_contents c on c.email_id = page.id`;

const OTHER_BYTES = [
  'select sum(octet_length(bytes)) as bytes from attachment_contents where organization_id = $1',
  `select sum(coalesce(octet_length(html), 0) + coalesce(octet_length(text), 0)
              + coalesce(octet_length(mjml), 0)) as bytes from messages where organization_id = $1`,
  `select sum(coalesce(octet_length(v.html_content), 0) + coalesce(octet_length(v.compiled_html), 0)
              + coalesce(octet_length(v.text_content), 0)) as bytes
     from template_versions v join templates t on t.id = v.template_id where t.organization_id = $1`,
];

const BROADCASTS = 'select id from broadcasts where organization_id = $1';

/**
 * Lists are read in pages, because one can have millions of rows. $1 their owner, $2 the last address of the page
 * before.
 */
const LIST_PAGE = 50_000;
const listBytes = (table: string, owner: string, bytes: string): string => `
with page as (
  select * from ${table} where ${owner} = $1 and address_key > $2 order by address_key limit ${LIST_PAGE}
)
select max(address_key) as last, count(*)::integer as rows,
       sum(${ROW_BYTES} + octet_length(address) + ${bytes}) as bytes from page`;
const RECIPIENT_BYTES = listBytes(
  'broadcast_recipients',
  'broadcast_id',
  'coalesce(pg_column_size(variables), 0) + coalesce(pg_column_size(metadata), 0)',
);
/** An address with several reasons can be at the end of a page; then not all of its reasons count. */
const SUPPRESSION_BYTES = listBytes('suppressions', 'organization_id', 'coalesce(octet_length(note), 0)');

/**
 * Adds the bytes that were used since the measurement began to the measured ones. $1 organization, $2 used before, $3
 * measured.
 */
const STORE = `
update budget_usage set used = greatest(0, used - $2::bigint + $3::bigint), measured_at = now()
 where organization_id = $1 and budget = 'storedBytes' and period = to_timestamp(0)`;

interface Bytes {
  bytes: string | null;
}

/** Measures what organizations store, because deletions do not return any bytes to the budget. */
@Injectable()
export class StorageMeasurements {
  constructor(private readonly database: Database) {}

  /**
   * Measures every organization once a day, in statements that each read little. If a statement fails for one
   * organization, the others are still measured. @throws the last error, once all others are measured
   */
  async run(): Promise<void> {
    await this.database.query(DELETE_OLD);
    const failed: string[] = [];
    let failure: unknown;
    for (;;) {
      const [next] = await this.database.query<{ id: string; used: string; startedAt: Date }>(NEXT, [failed]);
      if (!next) break;
      await this.measure(next.id, next.used, next.startedAt).catch((error: unknown) => {
        failed.push(next.id);
        failure = error;
      });
    }
    if (failed.length > 0) throw failure;
  }

  private async measure(organizationId: string, usedBefore: string, startedAt: Date): Promise<void> {
    let bytes = await this.emailBytes(organizationId, startedAt);
    for (const sql of OTHER_BYTES) bytes += await this.read(sql, organizationId);
    const broadcasts = await this.database.query<{ id: string }>(BROADCASTS, [organizationId]);
    for (const { id } of broadcasts) bytes += await this.readPages(RECIPIENT_BYTES, id);
    bytes += await this.readPages(SUPPRESSION_BYTES, organizationId);
    await this.database.query(STORE, [organizationId, usedBefore, bytes]);
  }

  /** Emails that are accepted later count as used when they are stored. */
  private async emailBytes(organizationId: string, startedAt: Date): Promise<number> {
    const end = firstIdAt(startedAt);
    let bytes = 0;
    for (let after = NIL_UUID; ;) {
      const [page] = await this.database.query<Bytes & { last: string | null; emails: number }>(EMAIL_BYTES, [
        organizationId,
        after,
        end,
      ]);
      bytes += Number(page!.bytes);
      if (page!.last === null || page!.emails < EMAILS) return bytes;
      after = page!.last;
    }
  }

  private async readPages(sql: string, id: string): Promise<number> {
    let bytes = 0;
    for (let after = ''; ;) {
      const [page] = await this.database.query<Bytes & { last: string | null; rows: number }>(sql, [id, after]);
      bytes += Number(page!.bytes ?? 0);
      if (page!.last === null || page!.rows < LIST_PAGE) return bytes;
      after = page!.last;
    }
  }

  private async read(sql: string, id: string): Promise<number> {
    const [row] = await this.database.query<Bytes>(sql, [id]);
    return Number(row?.bytes ?? 0);
  }
}

/** The smallest UUIDv7 of a time (RFC 9562, 5.7). */
function firstIdAt(time: Date): string {
  const hex = time.getTime().toString(16).padStart(12, '0');
  return `${hex.slice(0, 8)}-${hex.slice(8)}-7000-8000-000000000000`;
}
