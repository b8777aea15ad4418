import { readHistories } from '../../../src/emails/recipients/address-history.js';
import type { Report } from '../../../src/emails/recipients/reported-emails.js';
import { openTestDatabase, type OpenTestDatabase } from '../../support/test-database.js';
import { mailToReportOn, reportOf, RECIPIENTS, type ReportedMail } from './reported-mail.js';
import { reportsRead } from '../../support/reports-read.js';

const REPORTS = 50_000;
const [ann] = RECIPIENTS;

let open: OpenTestDatabase;
let mail: ReportedMail;
beforeAll(async () => {
  open = await openTestDatabase();
  mail = await mailToReportOn(open.database, 1);
});
afterAll(() => open.close());

/** Reports about one recipient of one email, one each second. */
async function insertReports(type: string, bounce: string | null = null): Promise<void> {
  await open.database.query(
    `insert into delivery_events (id, occurred_at, organization_id, email_id, address_key, type, bounce)
     select gen_random_uuid(), now() - n * interval '1 second', $1, $2, $3, $4, $5 from generate_series(1, ${REPORTS}) n`,
    [mail.organizationId, mail.emails[0]!.id, ann, type, bounce],
  );
  await open.database.query('analyze');
}

it.each([
  ['deferred', null],
  ['bounced', 'hard'],
  ['noted', null],
])(`${REPORTS} reports with %s are not read for a soft bounce or an unsubscription`, async (type, bounce) => {
  await insertReports(type, bounce);
  const { id } = mail.emails[0]!;
  const events = [reportOf(id, ann, 'bounced', { bounce: 'soft' }), reportOf(id, ann, 'unsubscribed')];
  const reports = events.map((event) => ({
    ...{ event, email: { id, organizationId: mail.organizationId }, address: ann, addressKey: ann },
  })) as unknown as Report[];
  const read = await open.database.transaction(async (sql) => {
    const before = await reportsRead(sql);
    const histories = await readHistories(sql, reports, 5);
    expect([...histories.values()]).toEqual([expect.objectContaining({ softBounces: [], subscription: '' })]);
    return (await reportsRead(sql)) - before;
  });
  expect(read).toBeLessThan(20);
});
