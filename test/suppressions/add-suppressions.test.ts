import { addSuppressions, removeSuppression, type NewSuppression } from '../../src/suppressions/add-suppressions.js';
import { sendMail } from '../roles/flusher/sent-mail.js';
import { openTestDatabase, type OpenTestDatabase } from '../support/test-database.js';

let open: OpenTestDatabase;
let organizationId: string;

beforeAll(async () => {
  open = await openTestDatabase();
  ({ organizationId } = await sendMail(open.database, []));
});
afterAll(() => open.close());

const entry = (address: string, reason: NewSuppression['reason'], note: string | null = null): NewSuppression => ({
  ...{ organizationId, address, addressKey: address.toLowerCase(), reason, emailId: null, note },
});
const stored = () =>
  open.database.query('select address, reason, note from suppressions order by address_key collate "C", reason');

describe('adding suppressions', () => {
  it('adds one entry per address and reason, and changes none that exists', async () => {
    const { database } = open;
    const [ann, bob] = [entry('Ann@example.com', 'manual', 'by request'), entry('bob@example.com', 'bounce')];
    const again = entry('ann@EXAMPLE.com', 'manual', 'again');
    expect(await addSuppressions(database, [bob, ann, again])).toEqual([ann, bob]);
    expect(await addSuppressions(database, [again, entry('Ann@example.com', 'complaint')])).toEqual([
      entry('Ann@example.com', 'complaint'),
    ]);
    expect(await addSuppressions(database, [])).toEqual([]);
    expect(await stored()).toEqual([
      { address: 'Ann@example.com', reason: 'complaint', note: null },
      { address: 'Ann@example.com', reason: 'manual', note: 'by request' },
      { address: 'bob@example.com', reason: 'bounce', note: null },
    ]);
    expect(await removeSuppression(database, organizationId, 'ann@example.com', 'complaint')).toBe(true);
    expect(await removeSuppression(database, organizationId, 'ann@example.com', 'complaint')).toBe(false);
    expect(await stored()).toHaveLength(2);
  });
});
