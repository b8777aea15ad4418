import { randomUUID } from 'node:crypto';
import { EmailTimelines } from '../../src/emails/read/email-timeline.js';
import { TIMELINE } from '../../src/emails/read/timeline-statement.js';
import type { Database } from '../../src/platform/database/database.js';
import { noOldEvents } from '../events/store/no-old-events.js';
import { sendMail } from '../roles/flusher/sent-mail.js';
import { openTestDatabase, type OpenTestDatabase } from '../support/test-database.js';

const DELIVERIES = 3_000;
const PAGE = 200;

interface PlanNode {
  readonly 'Relation Name'?: string;
  readonly 'Actual Rows': number;
  readonly 'Actual Loops': number;
  readonly 'Rows Removed by Filter'?: number;
  readonly Plans?: readonly PlanNode[];
}

let open: OpenTestDatabase;
let database: Database;

beforeEach(async () => {
  open = await openTestDatabase(2);
  ({ database } = open);
});
afterEach(() => open.close());

/** An email with many webhook deliveries, two at a time. The later they are, the earlier was their attempt. */
async function emailWithWebhooks() {
  const { organizationId, emails } = await sendMail(database, [1]);
  const { id } = emails[0]!;
  const endpoint = randomUUID();
  await database.query(
    `insert into email_contents (email_id, sender, to_addresses, subject, html) values ($1, 'a@a.test', '{b@b.test}', 'S', '')`,
    [id],
  );
  await database.query(
    `insert into webhook_endpoints (id, organization_id, url, sealed_secret, events)
     values ($1, $2, 'https://hooks.example', '', '{EMAIL_OPENED}')`,
    [endpoint, organizationId],
  );
  await database.query(
    `with made as (
       insert into webhook_deliveries (id, endpoint_id, type, email_id, status, attempts, created_at)
       select gen_random_uuid(), $1, 'EMAIL_OPENED', $2, 'delivered', 1, now() + n / 2 * interval '1 s'
         from generate_series(1, $3::integer) n returning id, created_at)
     insert into webhook_attempts (delivery_id, number, started_at, duration_ms, status)
     select id, 1, now() + interval '1 day' - (created_at - now()), 5, 200 from made`,
    [endpoint, id, DELIVERIES],
  );
  await database.query('analyze webhook_deliveries, webhook_attempts');
  return { id, organizationId };
}

/** Rows of webhooks that Postgres reads for one page. */
async function webhookRows(id: string, after?: readonly string[]): Promise<number> {
  const [email] = await database.query<{ contact: string; created_at: Date }>(
    'select contact_ids[1] as contact, created_at from emails where id = $1',
    [id],
  );
  const { contact, created_at } = email!;
  const [row] = await database.query<{ 'QUERY PLAN': [{ Plan: PlanNode }] }>(
    `explain (analyze, timing off, format json) ${TIMELINE}`,
    [id, after?.[0] ?? null, after?.[1] ?? null, PAGE + 1, contact, created_at, '0', null, null],
  );
  return rowsOf(row!['QUERY PLAN'][0].Plan);
}

function rowsOf(node: PlanNode): number {
  const { Plans = [], 'Relation Name': table = '', 'Rows Removed by Filter': removed = 0 } = node;
  const own = table.startsWith('webhook_') ? (node['Actual Rows'] + removed) * node['Actual Loops'] : 0;
  return Plans.reduce((sum, plan) => sum + rowsOf(plan), own);
}

it('a page of a timeline reads no more webhooks than it can show, and the pages have each of them once', async () => {
  const { id, organizationId } = await emailWithWebhooks();
  const timelines = new EmailTimelines(database, noOldEvents(database));
  const found: { at: string; delivery: string }[] = [];
  const read: number[] = [];
  for (let after: readonly string[] | undefined; ;) {
    read.push(await webhookRows(id, after));
    const page = await timelines.list(organizationId, id, { limit: PAGE, ...(after && { after }) });
    for (const { at, webhook } of page.items) if (webhook) found.push({ at, delivery: webhook.deliveryId });
    if (!page.next) break;
    after = page.next;
  }
  expect(new Set(found.map(({ delivery }) => delivery)).size).toBe(DELIVERIES);
  expect(found).toHaveLength(DELIVERIES);
  expect(found).toEqual([...found].sort((one, other) => one.at.localeCompare(other.at)));
  // A delivery and its last attempt for each entry, and the entries of the same time as the last one before.
  expect(Math.max(...read.slice(0, 5))).toBeLessThanOrEqual(2 * (PAGE + 1) + 4);
  // Postgres may sort the rest once it is short.
  expect(Math.max(...read)).toBeLessThan(DELIVERIES / 2);
});
