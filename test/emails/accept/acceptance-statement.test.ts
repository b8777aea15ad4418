import { randomUUID } from 'node:crypto';
import { ACCEPT } from '../../../src/emails/accept/acceptance-statement.js';
import { acceptanceValues } from '../../../src/emails/accept/acceptance-values.js';
import type { NewEmail } from '../../../src/emails/accept/new-email.js';
import type { KeyClaim } from '../../../src/emails/idempotency/idempotency-keys.js';
import type { Database } from '../../../src/platform/database/database.js';
import { insertOrganization } from '../../support/backlog.js';
import { ada, bob, cy, newEmail } from '../../support/new-email.js';
import { openTestDatabase, type OpenTestDatabase } from '../../support/test-database.js';

let opened: OpenTestDatabase;
let database: Database;
let organizationId: string;
let campaignId: string;

beforeEach(async () => {
  opened = await openTestDatabase();
  ({ database } = opened);
  organizationId = await insertOrganization(database);
  campaignId = randomUUID();
  await database.query(`insert into campaigns (id, organization_id, name) values ($1, $2, 'Spring')`, [
    campaignId,
    organizationId,
  ]);
});
afterEach(() => opened.close());

const email = (fields: Partial<NewEmail> = {}): NewEmail => newEmail({ organizationId, campaignId, ...fields });

interface Outcome {
  open: boolean;
  stored: boolean;
  place: number | null;
  verified: boolean;
  suppressed: { place: number; reason: string }[] | null;
}

async function accept(accepted: NewEmail, claim?: KeyClaim, waiter?: string): Promise<Outcome> {
  const [outcome] = await ACCEPT.run<Outcome>(database, acceptanceValues([{ email: accepted, claim, waiter }]));
  return outcome!;
}

async function count(table: string): Promise<number> {
  const [row] = await database.query<{ rows: number }>(`select count(*)::integer as rows from ${table}`);
  return row!.rows;
}

const claimOf = (key: string, status: number | null = null): KeyClaim => ({
  key,
  requestHash: Buffer.from('hash'),
  status,
  runningForMs: 60_000,
});

describe('an accepted email', () => {
  it('that is scheduled is due at its time, when its retries start, and has no job until then', async () => {
    const sendAt = new Date(Date.now() + 86_400_000);
    const scheduled = email({ sendAt });
    expect(await accept(scheduled)).toMatchObject({ stored: true, place: null });
    const [row] = await database.query(
      `select e.status, e.send_at, p.due_at, p.queued_at, p.dispatched_at
         from emails e join pending_emails p on p.email_id = e.id where e.id = $1`,
      [scheduled.id],
    );
    expect(row).toEqual({ status: 'queued', send_at: sendAt, due_at: sendAt, queued_at: sendAt, dispatched_at: null });
  });

  it('is stored with its content, contacts, counts and position in the queue', async () => {
    const waiter = randomUUID();
    const sent = email();
    expect(await accept(sent, undefined, waiter)).toEqual({
      id: sent.id,
      ...{ open: true, stored: true, place: 0, verified: false, suspension: null },
      suppressed: null,
    });

    const [row] = await database.query(
      `select e.tracking_id, e.organization_id, e.campaign_id, e.status, e.tracked, e.created_at, e.sent_at,
              array(select c.address_key from unnest(e.contact_ids) with ordinality as t (id, place)
                      join contacts c on c.id = t.id order by t.place) as contacts,
              p.dispatched_at is not null as dispatched, p.place, p.waiter,
              c.sender, c.reply_to, c.to_addresses, c.cc_addresses, c.bcc_addresses, c.subject, c.html, c.metadata
         from emails e join email_contents c on c.email_id = e.id join pending_emails p on p.email_id = e.id
        where e.id = $1`,
      [sent.id],
    );
    expect(row).toEqual({
      tracking_id: sent.trackingId,
      organization_id: organizationId,
      campaign_id: campaignId,
      status: 'queued',
      tracked: false,
      created_at: sent.createdAt,
      sent_at: null,
      contacts: [bob, ada.toLowerCase()],
      ...{ dispatched: true, place: 0, waiter },
      sender: 'news@platform.example',
      reply_to: 'news@news.acme.example',
      to_addresses: [`Bob <${bob}>`, ada],
      cc_addresses: [cy],
      bcc_addresses: [],
      ...{ subject: 'Hello', html: '<p>Hello</p>', metadata: { order: 7 } },
    });
    expect(await count('email_links')).toBe(0);
    expect(await count('idempotency_keys')).toBe(0);
  });

  it('counts for its contacts and its campaign, each time', async () => {
    // The second one is older, as from a process whose clock is slow.
    for (const to of [[bob, ada], [bob]]) {
      const recipients = { to: to.map((address) => ({ address })), cc: [], bcc: [] };
      await accept(email({ recipients, createdAt: new Date(2026, 0, to.length) }));
    }
    const contacts = await database.query(
      'select address, emails::integer, first_seen_at < last_activity_at as older from contacts order by address_key',
    );
    expect(contacts).toEqual([
      { address: ada, emails: 1, older: false },
      { address: bob, emails: 2, older: true },
    ]);
    const [total] = await database.query('select sum(emails)::integer as emails from campaign_totals');
    expect(total).toEqual({ emails: 2 });
    expect([await count('contact_emails'), await count('contact_campaigns')]).toEqual([3, 2]);
    expect(await count('contact_search')).toBe(2);
  });

  it('names a new contact, also among others of the same statement', async () => {
    const spellings = ['zoe@example.com', 'ZOE@example.com', 'BOB@example.com', 'bob@example.com'];
    const emails = spellings.map((address) => ({
      email: email({ recipients: { to: [{ address }], cc: [], bcc: [] } }),
    }));
    await ACCEPT.run(database, acceptanceValues(emails));
    const contacts = await database.query('select address from contacts order by address_key');
    expect(contacts).toEqual([{ address: 'BOB@example.com' }, { address: 'zoe@example.com' }]);
  });

  it('keeps its sender if the domain is verified at this time', async () => {
    await database.query(
      `insert into sending_domains (id, organization_id, domain, status, ownership_token)
       values (gen_random_uuid(), $1, 'acme.example', 'verified', 'x')`,
      [organizationId],
    );
    const sent = email();
    expect((await accept(sent)).verified).toBe(true);
    const [row] = await database.query('select sender, reply_to from email_contents');
    expect(row).toEqual({ sender: 'news@news.acme.example', reply_to: null });
    const needsSignature = email({ sender: { ...sent.sender, needsProviderSignature: true } });
    expect((await accept(needsSignature)).verified).toBe(false);
  });

  it('that another provider delivers is in a final state, with its links in their order', async () => {
    const urls = ['https://example.com/b', 'https://example.com/a', 'https://example.com/b'];
    const tracked = email({ status: 'tracked', urls });
    expect((await accept(tracked)).place).toBeNull();
    expect(await count('pending_emails')).toBe(0);
    expect(await database.query('select status, tracked, sent_at from emails')).toEqual([
      { status: 'tracked', tracked: true, sent_at: tracked.createdAt },
    ]);
    expect(await database.query('select urls from email_links')).toEqual([{ urls }]);
    expect(await count('campaign_links')).toBe(2);
  });

  it('waits without a position for the feeder when its organization has used up its share', async () => {
    await database.query('update dispatch_window set share = 2');
    expect([(await accept(email())).place, (await accept(email())).place]).toEqual([0, 1]);
    expect((await accept(email())).place).toBeNull();
    expect(await count('pending_emails where dispatched_at is null')).toBe(1);
  });

  it.each(['normal', 'warned', 'slowed', 'paused'])('has a position at once unless it is held: %s', async (state) => {
    await database.query('insert into sending_guards (organization_id, state) values ($1, $2)', [
      organizationId,
      state,
    ]);
    const { place } = await accept(email());
    expect(place).toBe(state === 'normal' || state === 'warned' ? 0 : null);
  });
});

describe('an email that may not be stored', () => {
  const stored = async () => [await count('emails'), await count('contacts'), await count('idempotency_keys')];

  it('leaves nothing behind if its campaign is archived', async () => {
    await database.query('update campaigns set archived_at = now()');
    expect(await accept(email(), claimOf('k'))).toMatchObject({ open: false, stored: false });
    expect(await stored()).toEqual([0, 0, 0]);
  });

  it('leaves nothing behind if its campaign belongs to another organization', async () => {
    expect(await accept(email({ organizationId: await insertOrganization(database) }))).toMatchObject({ open: false });
    expect(await stored()).toEqual([0, 0, 0]);
  });

  it('leaves nothing behind if another request holds its key, until that is a day old', async () => {
    const first = email();
    expect(await accept(first, claimOf('k', 200))).toMatchObject({ stored: true });
    expect(await accept(email(), claimOf('k'))).toMatchObject({ open: true, stored: false });
    expect(await stored()).toEqual([1, 2, 1]);
    expect(await database.query('select email_id, status from idempotency_keys')).toEqual([
      { email_id: first.id, status: 200 },
    ]);
    await database.query(`update idempotency_keys set created_at = now() - interval '25 hours'`);
    const later = email();
    expect(await accept(later, claimOf('k'))).toMatchObject({ stored: true });
    expect(await database.query('select email_id, status from idempotency_keys')).toEqual([
      { email_id: later.id, status: null },
    ]);
  });

  it('is every one except the first of many simultaneous requests with the same key', async () => {
    const outcomes = await Promise.all(Array.from({ length: 4 }, () => accept(email(), claimOf('k'))));
    expect(outcomes.filter((outcome) => outcome.stored)).toHaveLength(1);
    expect(await stored()).toEqual([1, 2, 1]);
  });
});
