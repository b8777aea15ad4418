import { DeliveryState } from '../../../src/emails/delivery/delivery-state.js';
import type { SentEmail } from '../../../src/emails/delivery/delivery-statements.js';
import type { Database } from '../../../src/platform/database/database.js';
import { WebhookOutbox } from '../../../src/webhooks/webhook-outbox.js';
import { openTestDatabase, type OpenTestDatabase } from '../../support/test-database.js';
import { dispatchEmails, leaseOn } from '../dispatch/dispatched-emails.js';

let opened: OpenTestDatabase;
let database: Database;
let state: DeliveryState;
let emails: string[];

beforeEach(async () => {
  opened = await openTestDatabase();
  ({ database } = opened);
  state = new DeliveryState(database, new WebhookOutbox());
  emails = await dispatchEmails(database, 3);
});
afterEach(() => opened.close());

const sent = (): SentEmail => ({ providerId: 'p', urls: [], sentAt: new Date(), recipients: [] });

/** Runs `work` while Postgres blocks every statement that touches the email. */
function whileLocked(emailId: string, work: () => Promise<void>): Promise<void> {
  return database.transaction(async (sql) => {
    await sql.query('select from pending_emails where email_id = $1 for update', [emailId]);
    await work();
  });
}

describe('statements for emails of a broadcast', () => {
  it('do not delay the claim of another email', async () => {
    const [slow, other] = emails as [string, string];
    let claimed: Promise<unknown> | undefined;
    await whileLocked(slow, async () => {
      claimed = state.claim(leaseOn(slow, true), 0);
      await new Promise((resolve) => setImmediate(resolve));
      expect(await state.claim(leaseOn(other), 0)).toBe(1);
    });
    expect(await claimed).toBe(1);
  });

  it('do not delay the outcome of another email', async () => {
    const [slow, other] = emails as [string, string];
    const [ofBroadcast, alone] = [leaseOn(slow, true), leaseOn(other)];
    for (const lease of [ofBroadcast, alone]) await state.claim(lease, 0);
    let recorded: Promise<unknown> | undefined;
    await whileLocked(slow, async () => {
      recorded = state.markSent(ofBroadcast, sent());
      await new Promise((resolve) => setImmediate(resolve));
      expect(await state.markSent(alone, sent())).toEqual([]);
    });
    expect(await recorded).toEqual([]);
  });

  it('are shared by all emails that arrive at the same time', async () => {
    const statements: string[] = [];
    const before = database.prepared.bind(database);
    database.prepared = (name, ...rest) => {
      statements.push(name);
      return before(name, ...rest);
    };
    const claims = emails.map((email) => state.claim(leaseOn(email, true), 0));
    expect(await Promise.all(claims)).toEqual([1, 1, 1]);
    expect(statements).toEqual(['claim-emails']);
  });
});
