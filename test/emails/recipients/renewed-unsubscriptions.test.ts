import { openTestDatabase, type OpenTestDatabase } from '../../support/test-database.js';
import { flushReported, mailToReportOn, readWebhooks, reportOf } from './reported-mail.js';

const HOUR = 3_600_000;

let open: OpenTestDatabase;
beforeAll(async () => void (open = await openTestDatabase(2)));
afterAll(() => open?.close());

it('an unsubscription after its undoing is reported once, although the organization had removed the entry', async () => {
  const { database } = open;
  const mail = await mailToReportOn(database, 1);
  const { id } = mail.emails[0]!;
  const start = Date.now() - 3 * HOUR;
  await flushReported(database, [reportOf(id, 0, 'unsubscribed', { at: start })]);
  await database.query('delete from suppressions where organization_id = $1', [mail.organizationId]);
  await flushReported(database, [
    reportOf(id, 0, 'resubscribed', { at: start + HOUR }),
    reportOf(id, 0, 'unsubscribed', { at: start + 2 * HOUR }),
  ]);
  const types = (await readWebhooks(database, mail)).map(({ type }) => type);
  expect(types.sort()).toEqual(['EMAIL_RESUBSCRIBED', 'EMAIL_UNSUBSCRIBED', 'EMAIL_UNSUBSCRIBED']);
});
