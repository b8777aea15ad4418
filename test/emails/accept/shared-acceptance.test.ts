import { randomUUID } from 'node:crypto';
import { jest } from '@jest/globals';
import { CampaignArchivedError } from '../../../src/campaigns/campaign-errors.js';
import type { EmailToAccept } from '../../../src/emails/accept/acceptance-values.js';
import { AcceptedEmails } from '../../../src/emails/accept/accepted-emails.js';
import type { LeftOutRecipients } from '../../../src/emails/accept/left-out-recipients.js';
import type { NewEmail } from '../../../src/emails/accept/new-email.js';
import { SharedAcceptance } from '../../../src/emails/accept/shared-acceptance.js';
import { RecipientsSuppressedError } from '../../../src/emails/email-errors.js';
import type { Database } from '../../../src/platform/database/database.js';
import { insertOrganization } from '../../support/backlog.js';
import { lockedOut, whileLocked } from '../../support/held-lock.js';
import { ada, bob, newEmail } from '../../support/new-email.js';
import { NO_LISTENERS } from '../../support/no-listeners.js';
import { openTestDatabase, type OpenTestDatabase } from '../../support/test-database.js';

let opened: OpenTestDatabase;
let database: Database;
let organizationId: string;
let accepted: AcceptedEmails;
/** The number of emails of each statement. */
let statements: number[];

beforeEach(async () => {
  opened = await openTestDatabase(6);
  ({ database } = opened);
  organizationId = await insertOrganization(database);
  accepted = new AcceptedEmails(
    database,
    { report: () => Promise.resolve() } as unknown as LeftOutRecipients,
    NO_LISTENERS,
  );
  statements = [];
  const prepared = database.prepared.bind(database);
  jest.spyOn(database, 'prepared').mockImplementation((name, sql, values) => {
    if (name === 'accept-emails') statements.push((JSON.parse(values[1] as string) as unknown[]).length);
    return prepared(name, sql, values);
  });
});
afterEach(() => opened.close());

const email = (fields: Partial<NewEmail> = {}): NewEmail => newEmail({ organizationId, campaignId: null, ...fields });
const to = (...addresses: string[]) => ({ to: addresses.map((address) => ({ address })), cc: [], bcc: [] });
const claimOf = (key: string) => ({ key, requestHash: Buffer.from('hash'), status: null, runningForMs: 60_000 });

async function idsOf(table: string, column: string): Promise<string[]> {
  const rows = await database.query<{ id: string }>(`select ${column} as id from ${table} order by 1`);
  return rows.map(({ id }) => id);
}

describe('emails that arrive at the same time', () => {
  it('are stored for more organizations than batchers are kept for', async () => {
    const shared = new SharedAcceptance((emails) => Promise.resolve(emails.map((one) => one.email.organizationId)));
    const organizations = Array.from({ length: 2_500 }, (_, number) => `organization-${number}`);
    const store = (id: string) =>
      shared.call({ email: newEmail({ organizationId: id, campaignId: null }) } as EmailToAccept);
    expect(await Promise.all(organizations.map(store))).toEqual(organizations);
    expect(await Promise.all(organizations.map(store))).toEqual(organizations);
  });

  it('share a statement with those of their organization, and keep their order in the queue', async () => {
    const other = await insertOrganization(database);
    const emails = Array.from({ length: 5 }, (_, n) =>
      email({
        recipients: to(`reader-${n % 2}@example.com`),
        html: `<p>${n} "\\</p>`,
        createdAt: new Date(2026, 0, 1, 0, n),
      }),
    );
    const stored = await Promise.all([
      ...emails.map((one) => accepted.accept(one)),
      accepted.accept(email({ organizationId: other })),
    ]);
    expect(statements.sort()).toEqual([1, 5]);
    expect(stored.map((one) => one?.position)).toEqual([0, 1, 2, 3, 4, 0]);
    const rows = await database.query<{ html: string }>(
      `select c.html from emails e join email_contents c on c.email_id = e.id join pending_emails p on p.email_id = e.id
        where e.organization_id = $1 order by p.place`,
      [organizationId],
    );
    expect(rows.map(({ html }) => html)).toEqual(emails.map(({ html }) => html));
    const contacts = await database.query(
      `select address, emails::integer, first_seen_at, last_activity_at from contacts
        where organization_id = $1 order by address`,
      [organizationId],
    );
    const at = (n: number) => emails[n]!.createdAt;
    expect(contacts).toEqual([
      { address: 'reader-0@example.com', emails: 3, first_seen_at: at(0), last_activity_at: at(4) },
      { address: 'reader-1@example.com', emails: 2, first_seen_at: at(1), last_activity_at: at(3) },
    ]);
  });

  it('take the remaining slots of their organization', async () => {
    await database.query('update dispatch_window set share = 2');
    const [later, ...rest] = await Promise.all(
      [email({ sendAt: new Date(Date.now() + 86_400_000) }), email(), email(), email()].map((one) =>
        accepted.accept(one),
      ),
    );
    expect([later, ...rest].map((one) => one?.position)).toEqual([undefined, 0, 1, undefined]);
    expect(statements).toEqual([4]);
  });

  it('fail separately when Postgres refuses one', async () => {
    const known = email();
    await accepted.accept(known);
    const results = await Promise.allSettled(
      [email(), email({ id: known.id }), email()].map((one) => accepted.accept(one)),
    );
    expect(results.map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'fulfilled']);
    expect(await idsOf('emails', 'id')).toHaveLength(3);
  });

  it('are refused one by one for an archived campaign or suppressed recipients', async () => {
    const campaignId = randomUUID();
    await database.query(
      `insert into campaigns (id, organization_id, name, archived_at) values ($1, $2, 'Old', now())`,
      [campaignId, organizationId],
    );
    await database.query(
      `insert into suppressions (organization_id, address_key, address, reason) values ($1, $2, $2, 'bounce')`,
      [organizationId, bob],
    );
    const results = await Promise.allSettled([
      accepted.accept(email({ campaignId, recipients: to(ada) })),
      accepted.accept(email({ recipients: to(bob) })),
      accepted.accept(email({ recipients: to(bob, ada) })),
      accepted.accept(email({ recipients: to(ada) })),
    ]);
    expect(statements).toEqual([4]);
    expect(
      results.map((one) => (one.status === 'rejected' ? (one.reason as Error).constructor : one.value?.suppressed)),
    ).toEqual([CampaignArchivedError, RecipientsSuppressedError, [{ address: bob, reason: 'bounce' }], []]);
    expect(await idsOf('emails', 'id')).toHaveLength(2);
  });

  it('claim a key each, and store one email for requests with the same key', async () => {
    const results = await Promise.all(['k', 'k', 'l', 'k'].map((key) => accepted.accept(email(), claimOf(key))));
    expect(results.filter((one) => one !== undefined)).toHaveLength(2);
    expect(statements.sort()).toEqual([1, 1, 2]);
    expect(await idsOf('idempotency_keys', 'email_id')).toEqual(await idsOf('emails', 'id'));
    expect(await accepted.accept(email(), claimOf('k'))).toBeUndefined();
  });

  it('do not share a statement with a large one', async () => {
    await Promise.all([email(), email({ html: 'x'.repeat(300_000) }), email()].map((one) => accepted.accept(one)));
    expect(statements.sort()).toEqual([1, 2]);
  });
});

describe('a statement that waits for a lock', () => {
  it('does not delay other organizations, and delays its own only briefly', async () => {
    await accepted.accept(email({ recipients: to(bob) }));
    const other = await insertOrganization(database);
    const order: string[] = [];
    let waits!: Promise<unknown>;
    const lock = (sql: Pick<Database, 'query'>) =>
      sql.query('select from contacts where organization_id = $1 for update', [organizationId]);
    await whileLocked(database, lock, async () => {
      waits = accepted.accept(email({ recipients: to(bob) })).then(() => order.push('waited'));
      await lockedOut(database, 1);
      await accepted.accept(email({ organizationId: other }));
      await accepted.accept(email({ recipients: to(ada) }));
      order.push('others');
    });
    await waits;
    expect(order).toEqual(['others', 'waited']);
  });
});
