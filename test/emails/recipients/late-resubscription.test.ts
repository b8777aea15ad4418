import { openTestDatabase, type OpenTestDatabase } from '../../support/test-database.js';
import { flushReported, mailToReportOn, readReported, reportOf } from './reported-mail.js';

let openDatabase: OpenTestDatabase;
beforeAll(async () => void (openDatabase = await openTestDatabase(2)));
afterAll(() => openDatabase?.close());

it('takes an unsubscription back in its hour, even if the report about it was deleted by age', async () => {
  const { database } = openDatabase;
  const mail = await mailToReportOn(database, 1);
  const { id } = mail.emails[0]!;
  const [first, second, last] = [1, 2, 9].map((month) => Date.UTC(2026, month));
  for (const at of [first, second]) await flushReported(database, [reportOf(id, 0, 'unsubscribed', { at: at! })]);
  await database.query('delete from delivery_events');
  await flushReported(database, [reportOf(id, 0, 'resubscribed', { at: last! })]);
  const { hours, campaign } = await readReported(database, mail);
  expect(campaign['unsubscribed']).toBe(0);
  expect(hours.filter(({ fact }) => String(fact).startsWith('unsubscribed'))).toEqual([]);
});
