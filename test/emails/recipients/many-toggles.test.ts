import type { Database, Sql } from '../../../src/platform/database/database.js';
import { EmailTimelines } from '../../../src/emails/read/email-timeline.js';
import { readHistories } from '../../../src/emails/recipients/address-history.js';
import type { Report } from '../../../src/emails/recipients/reported-emails.js';
import { openTestDatabase, type OpenTestDatabase } from '../../support/test-database.js';
import { mailToReportOn, reportOf, RECIPIENTS, type ReportedMail } from './reported-mail.js';
import { noOldEvents } from '../../events/store/no-old-events.js';
import { reportsRead } from '../../support/reports-read.js';

const TOGGLES = 100_000;
const LIMIT = 50;
const PAGES = 5;
const [ann] = RECIPIENTS;

let open: OpenTestDatabase;
let mail: ReportedMail;
let read: number;
beforeAll(async () => {
  open = await openTestDatabase();
  mail = await mailToReportOn(open.database, 2);
  await open.database.query(`update emails set sent_at = date_trunc('milliseconds', created_at) + interval '1 second'`);
  // Ten each second; the first of them have times before the email was sent.
  await open.database.query(
    `insert into delivery_events (id, occurred_at, organization_id, email_id, address_key, type)
     select (substr(time, 1, 8) || substr(time, 9) || '70008000' || lpad(to_hex(n), 12, '0'))::uuid,
            to_timestamp(milliseconds / 1000.0), $1, $2, $3, (array['unsubscribed', 'resubscribed'])[1 + n % 2]
       from (select n, milliseconds, lpad(to_hex(milliseconds), 12, '0') as time
               from (select n, (extract(epoch from now()) * 1000)::bigint + (n - 20) * 100 as milliseconds
                       from generate_series(1, ${TOGGLES}) n) t) t`,
    [mail.organizationId, mail.emails[0]!.id, ann],
  );
  await open.database.query('analyze');
});
afterAll(() => open.close());

/** Counts the reports that `work` reads in its transaction. */
async function counting<Result>(sql: Sql, work: () => Promise<Result>): Promise<Result> {
  const before = await reportsRead(sql);
  const result = await work();
  read = (await reportsRead(sql)) - before;
  return result;
}

it(`an email with ${TOGGLES} toggles has a timeline in which reading a page reads only that page`, async () => {
  const snapshotOf: Database['snapshotOf'] = (_organizationId, work) =>
    open.database.snapshot((sql) => counting(sql, async () => work(sql)));
  const timelines = new EmailTimelines({ snapshotOf } as Database, noOldEvents({} as Database));
  const list = (limit: number, after?: readonly string[]) =>
    timelines.list(mail.organizationId, mail.emails[0]!.id, { limit, ...(after && { after }) });
  const entries: unknown[] = [];
  let after: readonly string[] | undefined;
  for (let page = 0; page < PAGES; page++) {
    const { items, next } = await list(LIMIT, after);
    expect(read).toBeGreaterThan(0);
    expect(read).toBeLessThan(2 * LIMIT);
    entries.push(...items);
    after = next;
  }
  expect((await list(PAGES * LIMIT)).items).toEqual(entries);
});

it('a toggle reads only the latest ones before it', async () => {
  const [email, other] = mail.emails;
  const [row] = await open.database.query<{ latest: string }>('select max(id::text) as latest from delivery_events');
  const reports = [email!, other!].map(({ id }) => ({
    event: reportOf(id, ann, 'unsubscribed'),
    email: { id, organizationId: mail.organizationId },
    ...{ address: ann, addressKey: ann },
  })) as unknown as Report[];
  const histories = await open.database.transaction((sql) => counting(sql, () => readHistories(sql, reports, 5)));
  expect([...histories.values()]).toEqual([
    expect.objectContaining({ subscription: row!.latest, subscriptionOf: new Map([[email!.id, row!.latest]]) }),
  ]);
  expect(read).toBeGreaterThan(0);
  expect(read).toBeLessThan(20);
});
