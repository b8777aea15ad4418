import type { Database } from '../../../src/platform/database/database.js';
import { DeliveryState } from '../../../src/emails/delivery/delivery-state.js';
import { AbandonedEmails } from '../../../src/emails/delivery/abandoned-emails.js';
import { WebhookOutbox } from '../../../src/webhooks/webhook-outbox.js';
import { insertBacklog } from '../../support/backlog.js';
import { eventually } from '../../support/eventually.js';
import { dispatchEmails, leaseOn } from '../dispatch/dispatched-emails.js';
import { openTestDatabase, type OpenTestDatabase } from '../../support/test-database.js';
import type { Lease } from '../../../src/emails/delivery/lease.js';
import type { SentEmail } from '../../../src/emails/delivery/delivery-statements.js';

let database: Database;
let state: DeliveryState;
let emails: string[];
let opened: OpenTestDatabase;

beforeEach(async () => {
  opened = await openTestDatabase();
  ({ database } = opened);
  state = new DeliveryState(database, new WebhookOutbox());
  emails = await dispatchEmails(database, 10);
});

afterEach(() => opened.close());

function sent(providerId: string): SentEmail {
  return { providerId, urls: ['https://example.com/a', 'https://example.com/a'], sentAt: new Date(), recipients: [] };
}

async function read(emailId: string) {
  const [row] = await database.query<{ status: string; provider_id: string | null; pending: boolean }>(
    `select e.status, e.provider_id, e.attempts, e.possible_duplicate, l.urls,
            exists (select from pending_emails p where p.email_id = e.id) as pending
       from emails e left join email_links l on l.email_id = e.id where e.id = $1`,
    [emailId],
  );
  return row;
}

const endLeases = () =>
  database.query(`update pending_emails set lease_until = now() - interval '1 s' where lease_token is not null`);

/** Null for an email without a holder. */
async function leaseOf(emailId: string) {
  const [row] = await database.query('select lease_until < now() as "isOver" from pending_emails where email_id = $1', [
    emailId,
  ]);
  return row;
}

/** Another worker takes over an email whose lease has expired, once Postgres has been up for the grace period. */
function takeOver(): Promise<Lease> {
  return eventually(async () => (await new AbandonedEmails(database).takeOver(10))[0], 20_000);
}

const RETRY = { reason: 'the worker died', delayMs: 60_000, countsAsAttempt: true };

describe('a claim', () => {
  it('succeeds for one of many simultaneous callers', async () => {
    const leases = Array.from({ length: 20 }, () => leaseOn(emails[0]!));
    const attempts = await Promise.all(leases.map((lease) => state.claim(lease, 0)));
    expect(attempts.filter((attempt) => attempt !== undefined)).toEqual([1]);
  });

  it('for several emails at the same time shares one statement', async () => {
    const before = database.prepared.bind(database);
    const statements: string[] = [];
    database.prepared = (name, ...rest) => {
      statements.push(name);
      return before(name, ...rest);
    };
    const claims = emails.map((email) => state.claim(leaseOn(email), 0));
    expect(await Promise.all(claims)).toEqual(Array<number>(10).fill(1));
    expect(statements).toEqual(['claim-emails']);
  });
});

describe('the outcome', () => {
  it('ends the email, with its links', async () => {
    const lease = leaseOn(emails[0]!);
    await state.claim(lease, 0);
    expect(await state.markSent(lease, sent('p1'))).toEqual([]);
    const urls = ['https://example.com/a', 'https://example.com/a'];
    expect(await read(lease.emailId)).toMatchObject({
      status: 'sent',
      provider_id: 'p1',
      attempts: 1,
      urls,
      pending: false,
    });
    expect(await state.markSent(lease, sent('p2'))).toBeUndefined();
  });

  it('of several emails, recorded at the same time, reaches each of them', async () => {
    const leases = emails.map((emailId) => leaseOn(emailId));
    await Promise.all(leases.map((lease) => state.claim(lease, 0)));
    const otherLease = leaseOn(emails[0]!);
    const recorded = [otherLease, ...leases].map((lease) => state.markSent(lease, sent(lease.token)));
    expect(await Promise.all(recorded)).toEqual([undefined, ...leases.map(() => [])]);
    for (const { emailId, token } of leases) expect(await read(emailId)).toMatchObject({ provider_id: token });
  });

  it('is not affected by another one that Postgres refuses', async () => {
    const leases = emails.slice(0, 4).map((emailId) => leaseOn(emailId));
    await Promise.all(leases.map((lease) => state.claim(lease, 0)));
    const recorded = leases.map((lease, n) => state.markSent(lease, sent(n === 2 ? 'nul \0' : 'fine')));
    const results = await Promise.allSettled(recorded);
    expect(results.map(({ status }) => status)).toEqual(['fulfilled', 'fulfilled', 'rejected', 'fulfilled']);
    expect(await read(leases[2]!.emailId)).toMatchObject({ status: 'queued', pending: true });
  });
});

describe('a worker that was silent', () => {
  it('can record its result if no other worker has tried since', async () => {
    const lease = leaseOn(emails[0]!);
    await state.claim(lease, 0);
    await endLeases();
    const other = await takeOver();
    await state.postpone(other, { ...RETRY, possibleDuplicate: true });
    expect(await state.markSent(lease, sent('late'))).toEqual([]);
    expect(await read(lease.emailId)).toMatchObject({ status: 'sent', provider_id: 'late', pending: false });
  });

  it('can record its result even if the process that took the email over died', async () => {
    const lease = leaseOn(emails[0]!);
    await state.claim(lease, 0);
    await endLeases();
    await takeOver();
    await endLeases();
    await state.postpone(await takeOver(), { ...RETRY, possibleDuplicate: true });
    expect(await state.markSent(lease, sent('late'))).toEqual([]);
  });

  it('is too late once another worker has the email', async () => {
    const lease = leaseOn(emails[0]!);
    await state.claim(lease, 0);
    await endLeases();
    await takeOver();
    expect(await state.markSent(lease, sent('late'))).toBeUndefined();
    expect(await state.markFailed(lease, 'late', [])).toBeUndefined();
    expect(await state.postpone(lease, RETRY)).toBe(false);
    expect(await read(lease.emailId)).toMatchObject({ status: 'queued', provider_id: null });
  });

  it('keeps its lease as long as it renews it', async () => {
    const lease = leaseOn(emails[0]!);
    await state.claim(lease, 0);
    await endLeases();
    await state.renew([lease]);
    expect(await leaseOf(lease.emailId)).toEqual({ isOver: false });
  });

  it('renews no lease but its own', async () => {
    const [free, held] = emails as [string, string];
    await state.claim(leaseOn(held), 0);
    await endLeases();
    await state.renew([leaseOn(free), leaseOn(held)]);
    expect(await leaseOf(free)).toEqual({ isOver: null });
    expect(await leaseOf(held)).toEqual({ isOver: true });
  });
});

describe('a claim whose response was lost', () => {
  it('is undone completely, by its holder only', async () => {
    const lease = leaseOn(emails[0]!);
    expect(await state.claim(lease, 0)).toBe(1);
    await state.giveBack(leaseOn(emails[0]!), 0);
    expect(await state.claim(leaseOn(emails[0]!), 0)).toBeUndefined();
    await state.giveBack(lease, 0);
    expect(await state.claim(leaseOn(emails[0]!), 1)).toBe(1);
  });

  it('fails if its connection delivers it only after it was undone', async () => {
    const lease = leaseOn(emails[0]!);
    await state.giveBack(lease, 0);
    expect(await state.claim(lease, 0)).toBeUndefined();
    expect(await state.claim(leaseOn(emails[0]!), 1)).toBe(1);
  });
});

describe('emails whose job is late', () => {
  it('are listed oldest first, across organizations', async () => {
    const abandoned = new AbandonedEmails(database);
    // The organization with the last ID has waited longest.
    const last = 'ffffffff-ffff-4fff-bfff-ffffffffffff';
    await database.query(`insert into organizations (id, name, plan) values ($1, 'Last', 'pro')`, [last]);
    await insertBacklog(database, last, 2);
    await database.query(
      `update pending_emails set dispatched_at = now() - case organization_id when $1 then interval '60 s' else interval '30 s' end`,
      [last],
    );
    const named = await abandoned.overdue(15_000, 2);
    const [row] = await database.query<{ owners: string[] }>(
      'select array_agg(distinct organization_id::text) as owners from emails where id = any($1::uuid[])',
      [named.map(({ emailId }) => emailId)],
    );
    expect(row!.owners).toEqual([last]);
  });
});
