import { Readable } from 'node:stream';
import type { ClickHouseClient, ClickHouseSettings } from '@clickhouse/client';
import { TRACKING_ID } from '../email-names.js';
import { lineOf, STORE_COLUMNS } from './store-line.js';
import type { StoreRow } from './store-row.js';

const TABLE = 'mailbeacon_events';
/** A hung server must not hang its callers. */
const WRITE_MS = 30_000;
const READ_MS = 5_000;
/**
 * For a transaction that waits for a write: otherwise Postgres ends the transaction after five seconds, and it never
 * succeeds.
 */
export const WAIT_FOR_STORE = `set local idle_in_transaction_session_timeout = ${WRITE_MS + 5_000}`;

/** An operator may create the table in advance, with an engine for replicas or its own disk. */
const CREATE_TABLE = `
create table if not exists ${TABLE} (
  email String, occurred_at DateTime64(3, 'UTC'), id UUID, type LowCardinality(String),
  verdict UInt16, link_position Int32, smtp_status LowCardinality(String),
  opens UInt64, clicks UInt64, machine_opens UInt64, machine_clicks UInt64, revision UInt64
) engine = ReplacingMergeTree(revision) partition by toYYYYMM(occurred_at) order by (email, occurred_at, id)`;

/** A batch may have events of any time. */
const INSERT: ClickHouseSettings = { max_partitions_per_insert_block: '0' };

/** An open or a click. */
export interface StoredHit {
  readonly id: string;
  readonly email: string;
  readonly type: 'opened' | 'clicked';
  readonly at: Date;
  readonly linkPosition: number;
  readonly verdict: number;
}

export interface HitPage {
  readonly order: 'newest' | 'oldest';
  /** Only hits before this time. */
  readonly before: Date;
  /** The last entry of the previous page: its time and its key, which for hits is `keyPrefix` and the ID. */
  readonly after?: readonly [at: Date, key: string];
  readonly keyPrefix?: string;
  readonly limit: number;
}

/** ClickHouse, with one table for all events. Nothing connects before the first call. */
export class EventStore {
  private opened: Promise<ClickHouseClient> | undefined;

  /** @param url with user, password and database */
  constructor(private readonly url: string) {}

  /** Creates the table. */
  async prepare(): Promise<void> {
    const client = await this.client();
    await client.command({ query: CREATE_TABLE, abort_signal: AbortSignal.timeout(WRITE_MS) });
  }

  /** Writing a row again changes nothing. */
  async insert(rows: readonly StoreRow[]): Promise<void> {
    if (rows.length === 0) return;
    const client = await this.client();
    await client.insert({
      table: TABLE,
      columns: STORE_COLUMNS,
      format: 'TabSeparated',
      values: Readable.from([rows.map(lineOf).join('')], { objectMode: false }),
      clickhouse_settings: INSERT,
      abort_signal: AbortSignal.timeout(WRITE_MS),
    });
  }

  /** Deletes all events of emails. @param emails tracking IDs */
  async remove(emails: readonly string[]): Promise<void> {
    if (emails.length === 0) return;
    const client = await this.client();
    const query = `delete from ${TABLE} where email in (${listOf(emails)})`;
    await client.command({ query, abort_signal: AbortSignal.timeout(WRITE_MS) });
  }

  /** Opens and clicks of emails. @param emails tracking IDs */
  async hitsOf(emails: readonly string[], page: HitPage): Promise<StoredHit[]> {
    if (emails.length === 0) return [];
    const { order, after, keyPrefix = '' } = page;
    const [compare, direction] = order === 'newest' ? ['<', 'desc'] : ['>', 'asc'];
    const position = `(toUnixTimestamp64Milli(occurred_at), concat({prefix:String}, toString(id)))`;
    const client = await this.client();
    const result = await client.query({
      query: `
        select toString(id) as id, email, type, toUnixTimestamp64Milli(occurred_at) as at,
               link_position as linkPosition, verdict
          from ${TABLE} final
         where email in (${listOf(emails)}) and type in ('opened', 'clicked')
           and occurred_at < fromUnixTimestamp64Milli({before:Int64}, 'UTC')
           ${after ? `and ${position} ${compare} ({at:Int64}, {key:String})` : ''}
         order by occurred_at ${direction}, toString(id) ${direction} limit {limit:UInt32}`,
      query_params: {
        ...{ before: page.before.getTime(), prefix: keyPrefix, limit: page.limit },
        ...(after && { at: after[0].getTime(), key: after[1] }),
      },
      format: 'JSONEachRow',
      abort_signal: AbortSignal.timeout(READ_MS),
    });
    const rows = await result.json<Omit<StoredHit, 'at'> & { at: number | string }>();
    return rows.map((row) => ({ ...row, at: new Date(Number(row.at)) }));
  }

  async close(): Promise<void> {
    await (await this.opened)?.close();
  }

  /** Loaded lazily, because most installations have no event store. Bundles contain only its default export. */
  private client(): Promise<ClickHouseClient> {
    return (this.opened ??= import('@clickhouse/client').then(({ default: { createClient, ClickHouseLogLevel } }) =>
      createClient({ url: this.url, application: 'mailbeacon', log: { level: ClickHouseLogLevel.OFF } }),
    ));
  }
}

/** @throws RangeError for anything but tracking IDs */
function listOf(emails: readonly string[]): string {
  if (!emails.every((email) => TRACKING_ID.test(email))) throw new RangeError('Not a tracking ID');
  return emails.map((email) => `'${email}'`).join(',');
}
