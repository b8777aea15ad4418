import { randomUUID } from 'node:crypto';
import { claimValues, type ClaimRow } from '../../../src/emails/delivery/claims.js';
import { CLAIM } from '../../../src/emails/delivery/claim-statement.js';
import { MARK_FAILED, MARK_SENT, POSTPONE } from '../../../src/emails/delivery/delivery-statements.js';
import { sentValues } from '../../../src/emails/delivery/sent-values.js';
import type { Lease } from '../../../src/emails/delivery/lease.js';
import type { Database } from '../../../src/platform/database/database.js';
import { insertBacklog, insertOrganization } from '../../support/backlog.js';
import { openTestDatabase, type OpenTestDatabase } from '../../support/test-database.js';

let opened: OpenTestDatabase;
let database: Database;
let organizationId: string;
let leases: Lease[];

beforeEach(async () => {
  opened = await openTestDatabase();
  ({ database } = opened);
  organizationId = await insertOrganization(database);
  await insertBacklog(database, organizationId, 3);
  const emails = await database.query<{ id: string }>('select id from emails order by id desc');
  leases = emails.map(({ id }) => ({ emailId: id, token: randomUUID() }));
});
afterEach(() => opened.close());

function claim(...claimed: Lease[]) {
  return claimLoaded(0, ...claimed);
}

/** @param generation of the emails when they were loaded */
function claimLoaded(generation: number, ...claimed: Lease[]) {
  const audience = { organizationId, unsubscribe: false, addresses: [] };
  return CLAIM.run<ClaimRow>(
    database,
    claimValues(
      claimed.map((lease) => [lease, { generation, audience, provider: 'smtp' }] as const),
      30_000,
    ),
  );
}

const sentAt = new Date('2026-03-04T05:06:07.089Z');

async function markSent(...sent: (readonly [Lease, string[]])[]) {
  const values = sentValues(
    sent.map(([lease, urls]) => [lease, { providerId: `p-${lease.emailId}`, urls, sentAt, recipients: [] }] as const),
  );
  const [outcome] = await MARK_SENT.run<{ moved: string[]; deliveries: string[] }>(database, values);
  return outcome!;
}

async function pendingOf({ emailId }: Lease) {
  const [row] = await database.query(
    `select lease_token, attempts, last_error, possible_duplicate, provider_id, generation, dispatched_at,
            due_at > now() + interval '59 s' and due_at < now() + interval '61 s' as "isDueInAMinute"
       from pending_emails where email_id = $1`,
    [emailId],
  );
  return row;
}

describe('CLAIM', () => {
  it('is planned once per connection, not for each call', async () => {
    const { database, close } = await openTestDatabase(1);
    for (let call = 1; call <= 12; call++) {
      const claims = Array.from({ length: 1 + (call % 4) }, (_, n) => {
        const lease: Lease = { emailId: randomUUID(), token: randomUUID() };
        const audience = { organizationId, unsubscribe: false, addresses: [`reader-${n}@example.com`] };
        return [lease, { generation: 0, audience, provider: null }] as const;
      });
      await CLAIM.run(database, claimValues(claims, 30_000));
    }
    const [plans] = await database.query(
      'select generic_plans::int as shared, custom_plans::int as own from pg_prepared_statements where name = $1',
      [CLAIM.name],
    );
    await close();
    // Postgres compares the plans for five calls with one for all calls.
    expect(plans).toEqual({ shared: 7, own: 5 });
  });

  it('claims the due emails without a holder, each with its own token', async () => {
    const [free, held, early] = leases as [Lease, Lease, Lease];
    await claim({ ...held, token: randomUUID() });
    await database.query(`update pending_emails set due_at = now() + interval '1 s' where email_id = $1`, [
      early.emailId,
    ]);
    expect(await claim(free, held, early)).toEqual([{ token: free.token, attempts: 1, suppressed: null }]);
    expect(await pendingOf(free)).toMatchObject({ lease_token: free.token });
  });
});

describe('MARK_SENT', () => {
  it('ends each email of a batch with its own values', async () => {
    await claim(...leases);
    const [one, two] = leases as [Lease, Lease];
    const outcome = await markSent([one, ['https://a.example', 'https://b.example', 'https://a.example']], [two, []]);
    expect(new Set(outcome.moved)).toEqual(new Set([one.token, two.token]));
    for (const { emailId } of [one, two]) {
      const [email] = await database.query('select status, provider_id, sent_at, attempts from emails where id = $1', [
        emailId,
      ]);
      expect(email).toEqual({ status: 'sent', provider_id: `p-${emailId}`, sent_at: sentAt, attempts: 1 });
    }
    const links = await database.query('select email_id, urls from email_links');
    expect(links).toEqual([
      { email_id: one.emailId, urls: ['https://a.example', 'https://b.example', 'https://a.example'] },
    ]);
    expect(await database.query('select email_id from pending_emails')).toEqual([{ email_id: leases[2]!.emailId }]);
  });

  it('stores the links of emails that share them, and of one that has others', async () => {
    await claim(...leases);
    const [one, two, three] = leases as [Lease, Lease, Lease];
    const shared = ['https://b.example/?q=%22,"x"', 'https://a.example'];
    await markSent([one, shared], [two, ['https://a.example']], [three, [...shared]]);
    const links = await database.query<{ email_id: string; urls: string[] }>('select email_id, urls from email_links');
    expect(new Map(links.map(({ email_id, urls }) => [email_id, urls]))).toEqual(
      new Map([
        [one.emailId, shared],
        [two.emailId, ['https://a.example']],
        [three.emailId, shared],
      ]),
    );
  });

  it('changes nothing without the lease, except for its last holder while no other worker has claimed the email', async () => {
    const [lease] = leases as [Lease];
    await claim(lease);
    expect((await markSent([{ ...lease, token: randomUUID() }, []])).moved).toEqual([]);
    const doubt = 'update pending_emails set lease_token = $2, doubt_token = $3 where email_id = $1';
    await database.query(doubt, [lease.emailId, randomUUID(), lease.token]);
    expect((await markSent([lease, []])).moved).toEqual([]);
    await database.query(doubt, [lease.emailId, null, lease.token]);
    expect((await markSent([lease, []])).moved).toEqual([lease.token]);
  });

  it('adds links to their campaigns, and deliveries for the subscribed endpoints', async () => {
    const [lease, other] = leases as [Lease, Lease];
    await database.query(
      `with campaign as (
         insert into campaigns (id, organization_id, name) values (gen_random_uuid(), $1, 'Spring') returning id
       )
       update emails set campaign_id = campaign.id from campaign`,
      [organizationId],
    );
    await database.query(
      `insert into webhook_endpoints (id, organization_id, url, sealed_secret, events)
       select gen_random_uuid(), $1, 'https://hooks.example', '', array[type]
         from unnest('{EMAIL_SENT,EMAIL_FAILED}'::text[]) as type`,
      [organizationId],
    );
    await claim(lease, other);
    const { deliveries } = await markSent(
      [lease, ['https://b.example', 'https://a.example']],
      [other, ['https://a.example']],
    );
    expect(deliveries).toHaveLength(2);
    const stored = await database.query<{ id: string }>(
      `select d.id from webhook_deliveries d join webhook_endpoints w on w.id = d.endpoint_id where w.events = '{EMAIL_SENT}'`,
    );
    expect(new Set(stored.map(({ id }) => id))).toEqual(new Set(deliveries));
    const links = await database.query('select url from campaign_links order by url');
    expect(links).toEqual([{ url: 'https://a.example' }, { url: 'https://b.example' }]);
  });
});

describe('MARK_FAILED', () => {
  it('ends the email with its reason, for the holder only', async () => {
    const [{ emailId, token }] = leases as [Lease];
    await claim({ emailId, token });
    expect(await MARK_FAILED.run(database, { emailId, token: randomUUID(), reason: 'no' })).toEqual([]);
    expect(await MARK_FAILED.run(database, { emailId, token, reason: '550 No' })).toEqual([
      { organization_id: organizationId, campaign_id: null, contact_ids: [] },
    ]);
    const [email] = await database.query(
      'select status, last_error, failed_at is not null as dated, attempts from emails where id = $1',
      [emailId],
    );
    expect(email).toEqual({ status: 'failed', last_error: '550 No', dated: true, attempts: 1 });
  });
});

describe('POSTPONE', () => {
  it('returns the email to the queue, for the holder only, and keeps the results of earlier attempts', async () => {
    const [{ emailId, token }] = leases as [Lease];
    const values = {
      emailId,
      token,
      delayMs: 60_000.4,
      reason: '451 Later',
      uncountedAttempts: 0,
      isHeld: false,
      urls: [],
    };
    await claim({ emailId, token });
    expect(
      await POSTPONE.run(database, { ...values, token: randomUUID(), possibleDuplicate: false, providerId: null }),
    ).toEqual([]);
    await POSTPONE.run(database, { ...values, possibleDuplicate: true, providerId: 'p1' });
    const waiting = { lease_token: null, last_error: '451 Later', dispatched_at: null, isDueInAMinute: true };
    const found = { possible_duplicate: true, provider_id: 'p1' };
    expect(await pendingOf({ emailId, token })).toEqual({ ...waiting, ...found, attempts: 1, generation: 1 });

    await database.query('update pending_emails set due_at = default');
    await claimLoaded(1, { emailId, token });
    await POSTPONE.run(database, { ...values, uncountedAttempts: 1, possibleDuplicate: false, providerId: null });
    expect(await pendingOf({ emailId, token })).toEqual({ ...waiting, ...found, attempts: 1, generation: 2 });
  });
});
