import { DeliveryState } from '../../../src/emails/delivery/delivery-state.js';
import { WebhookOutbox } from '../../../src/webhooks/webhook-outbox.js';
import { eventually } from '../../support/eventually.js';
import { whileLocked } from '../../support/held-lock.js';
import { openTestDatabase, type OpenTestDatabase } from '../../support/test-database.js';
import { dispatchEmails, leaseOn } from '../dispatch/dispatched-emails.js';

/** Soon enough for the next renewal, which follows after ten seconds. */
const RENEWED_WITHIN_MS = 5_000;

let open: OpenTestDatabase;
beforeAll(async () => void (open = await openTestDatabase()));
afterAll(() => open?.close());

it('a locked email does not keep the leases of all others from being renewed', async () => {
  const { database } = open;
  const state = new DeliveryState(database, new WebhookOutbox());
  const leases = (await dispatchEmails(database, 3)).map((emailId) => leaseOn(emailId));
  for (const lease of leases) await state.claim(lease, 0);
  await database.query(`update pending_emails set lease_until = now() + interval '1 s'`);
  const renewed = () =>
    database.query<{ id: string }>(
      `select email_id as id from pending_emails where lease_until > now() + interval '10 s' order by email_id`,
    );
  const [locked, ...others] = leases.map(({ emailId }) => emailId).sort();
  await whileLocked(
    database,
    (sql) => sql.query('select from pending_emails where email_id = $1 for update', [locked]),
    async () => {
      void state.renew(leases);
      await eventually(async () => (await renewed()).length > 0, RENEWED_WITHIN_MS);
      expect((await renewed()).map(({ id }) => id)).toEqual(others);
    },
  );
  await state.renew(leases);
  expect(await renewed()).toHaveLength(3);
});
