import { PassThrough } from 'node:stream';
import { pino } from 'pino';
import { ContentRetention } from '../../../src/emails/content-retention.js';
import { EventHistory } from '../../../src/events/event-retention.js';
import { AuditRetention } from '../../../src/organizations/audit/audit-retention.js';
import { uuidV7 } from '../../../src/platform/clock/uuid-v7.js';
import type { RunSettings } from '../../../src/platform/config/settings.js';
import type { Database } from '../../../src/platform/database/database.js';
import { PacedRetention } from '../../../src/platform/database/paced-retention.js';
import { createMetrics } from '../../../src/platform/health/metrics.js';
import { WebhookHistory } from '../../../src/webhooks/webhook-retention.js';
import { insertOrganization } from '../../support/backlog.js';
import { openTestDatabase, type OpenTestDatabase } from '../../support/test-database.js';

const DAY_MS = 86_400_000;
/** Ages in days; half a day is far from the borders of days. */
const AGES = [100.5, 98.5, 97.5, 40.5, 20.5];

let opened: OpenTestDatabase;
let database: Database;
let organizationId: string;
const log = new PassThrough();
const logger = pino(log);
const metrics = createMetrics();
const pace = new PacedRetention(metrics, logger);
const stop = new AbortController().signal;

beforeAll(async () => {
  opened = await openTestDatabase(1);
  ({ database } = opened);
  organizationId = await insertOrganization(database);
});
afterAll(() => opened?.close());

const idOf = (age: number): string => uuidV7(Date.now() - age * DAY_MS);
const settings = (days: number) =>
  ({
    EMAIL_CONTENT_RETENTION_DAYS: days,
    AUDIT_RETENTION_DAYS: days,
    DEAD_LETTER_RETENTION_DAYS: days,
    WEBHOOK_RETENTION_DAYS: days,
    EVENT_RETENTION_MONTHS: 0,
  }) as RunSettings;

interface Kind {
  /** Stores one of each age. */
  readonly insert: (ages: readonly number[]) => Promise<unknown>;
  readonly count: string;
  readonly run: (days: number) => Promise<unknown>;
}

const kinds: Record<string, Kind> = {
  EMAIL_CONTENT_RETENTION_DAYS: {
    insert: (ages) =>
      database.query(
        `with made as (
           insert into emails (id, tracking_id, organization_id, contact_ids, status)
           select id, id::text, $1, '{}', 'sent' from unnest($2::uuid[]) as id returning id)
         insert into email_contents (email_id, sender, to_addresses, subject, html)
         select id, 'a@acme.example', '{ada@example.com}', 'S', 'x' from made`,
        [organizationId, ages.map(idOf)],
      ),
    count: `email_contents where html <> ''`,
    run: (days) => new ContentRetention(database, settings(days), pace).dropOldBodies(stop),
  },
  AUDIT_RETENTION_DAYS: {
    insert: (ages) =>
      database.query(
        `insert into audit_entries (id, at, actor_kind, actor_id, action, target_kind)
         select gen_random_uuid(), now() - age * interval '1 day', 'operator', 'root', 'key.created', 'key'
           from unnest($1::float[]) as age`,
        [ages],
      ),
    count: 'audit_entries',
    run: (days) => new AuditRetention(createMetrics(), settings(days), database, pace).deleteExpired(stop),
  },
  DEAD_LETTER_RETENTION_DAYS: {
    insert: (ages) =>
      database.query(
        `insert into event_dead_letters (id, stream_entry_id, payload, reason, created_at)
         select gen_random_uuid(), '1-1', 'x', 'malformed', now() - age * interval '1 day' from unnest($1::float[]) as age`,
        [ages],
      ),
    count: 'event_dead_letters',
    run: (days) => new EventHistory(database, settings(days), pace, logger).maintain(),
  },
  WEBHOOK_RETENTION_DAYS: {
    insert: (ages) =>
      database.query(
        `with endpoint as (
           insert into webhook_endpoints (id, organization_id, url, enabled)
           values (gen_random_uuid(), $1, 'https://x.example', false) returning id)
         insert into webhook_deliveries (id, endpoint_id, type, body, next_attempt_at)
         select delivery.id, endpoint.id, 'email.sent', '{}', now() - age * interval '1 day'
           from endpoint, unnest($2::uuid[], $3::float[]) as delivery (id, age)`,
        [organizationId, ages.map(idOf), ages],
      ),
    count: 'webhook_deliveries',
    run: (days) => new WebhookHistory(database, settings(days), pace).deleteOld(stop),
  },
};

function logged(): { setting: string; days: number; daysLeft: number }[] {
  const lines = ((log.read() as Buffer | null) ?? '').toString().trim().split('\n');
  return lines.filter((line) => line.includes('daysLeft')).map((line) => JSON.parse(line) as never);
}

async function heldBack(setting: string): Promise<number | undefined> {
  const { values } = await metrics.getSingleMetric('mailbeacon_paced_deletions_total')!.get();
  return values.find(({ labels }) => labels['setting'] === setting)?.value;
}

describe.each(Object.entries(kinds))('%s', (setting, { insert, count, run }) => {
  const left = async (): Promise<number> =>
    Number((await database.query<{ n: string }>(`select count(*) as n from ${count}`))[0]!.n);

  it('that is far too short deletes a day or two of the oldest data in a run, says so, and counts the run', async () => {
    await insert(AGES);
    expect(await heldBack(setting)).toBe(0);
    const counts: number[] = [];
    for (let time = 0; time < 3; time++) {
      await run(30);
      counts.push(await left());
    }
    // A gap in the data delays nothing.
    expect(counts).toEqual([4, 2, 1]);
    expect(logged()).toMatchObject([
      { setting, days: 30, daysLeft: 69 },
      { setting, days: 30, daysLeft: 67 },
      { setting, days: 30, daysLeft: 9 },
    ]);
    expect(await heldBack(setting)).toBe(3);
  });

  it('deletes what is due each hour, and what a day without workers has left, in one run', async () => {
    await insert([31.5, 30.5]);
    await run(30);
    expect([await left(), logged(), await heldBack(setting)]).toEqual([1, [], 3]);
  });
});

it('deletes webhook deliveries that are due, although one that is much older was repeated until now', async () => {
  const { insert, count, run } = kinds['WEBHOOK_RETENTION_DAYS']!;
  await database.query('delete from webhook_deliveries');
  await insert([90.5, 30.5]);
  await database.query(
    `update webhook_deliveries set status = 'failed', finished_at = now(), next_attempt_at = now() where id < $1`,
    [idOf(60)],
  );
  await run(30);
  expect(await database.query(`select count(*)::int as left from ${count}`)).toEqual([{ left: 0 }]);
  expect(logged()).toEqual([]);
});
