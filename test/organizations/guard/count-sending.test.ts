import { countSending } from '../../../src/organizations/guard/count-sending.js';
import { openTestDatabase, type OpenTestDatabase } from '../../support/test-database.js';
import { mailToReportOn } from '../../emails/recipients/reported-mail.js';

let open: OpenTestDatabase;
beforeAll(async () => void (open = await openTestDatabase()));
afterAll(() => open?.close());

it('counts a complaint about mail that this service sent, and none about mail that it only tracks', async () => {
  const { database } = open;
  const { emails } = await mailToReportOn(database, 2);
  const [sent, tracked] = emails.map(({ id }) => id) as [string, string];
  await database.query(`update emails set status = 'tracked', tracked = true where id = $1`, [tracked]);
  const count = (emailId: string) => countSending(database, [{ emailId, sent: 0, bounced: 0, complained: 1 }]);
  const counted = () => database.query('select complained::int from sending_rates');
  await count(tracked);
  expect(await counted()).toEqual([]);
  await count(sent);
  expect(await counted()).toEqual([{ complained: 1 }]);
});
