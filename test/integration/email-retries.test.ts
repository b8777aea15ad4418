import type { ContactDetail, ContactView } from '../../src/contacts/contact-views.js';
import type { EmailSummary } from '../../src/emails/read/email-list.js';
import type { EmailDetail } from '../../src/emails/read/email-detail.js';
import { failedByNow, retryFailed } from '../../src/emails/read/retry-failed.js';
import { eventually } from '../support/eventually.js';
import { fresh, IdempotentClient, statusesAndBodies } from '../support/idempotent-client.js';
import { lockedOut } from '../support/held-lock.js';
import { AWAIT_RESULT, TestService, type TestClient } from '../support/service.js';

const plain = { from: 'ada@acme.example', subject: 'S', htmlContent: '<p>x</p>' };

let service: TestService;
let client: TestClient;

beforeAll(async () => {
  service = await TestService.start({ environment: { AMBIGUOUS_SEND: 'hold', ...AWAIT_RESULT } });
  client = await service.organization();
});
afterAll(() => service?.stop());

/** Sends an email that fails. */
async function fail(to: string, campaignId?: string, owner = client): Promise<EmailDetail> {
  service.mailServer.scripts.add(to, { phase: 'rcpt', reply: '550 5.7.1 No such user' }, 1);
  const email = { ...plain, to, ...(campaignId && { campaignId }) };
  expect((await owner.post('/api/send', email)).status).toBe(500);
  return (await failedTo(to, owner))!;
}

async function failedTo(to: string, owner = client): Promise<EmailDetail | undefined> {
  const { body } = await owner.get<{ emails: EmailSummary[] }>(`/api/emails?status=failed&recipient=${to}`);
  return body.emails[0] && (await owner.get<EmailDetail>(`/api/emails/${body.emails[0].id}`)).body;
}

function isSent({ id }: { id: string }, owner = client) {
  return eventually(async () => {
    const { body } = await owner.get<EmailDetail>(`/api/emails/${id}`);
    return body.status === 'sent' && body;
  });
}

async function totals(to: string, campaign: string) {
  const { body: contact } = await client.get<{ totalEmails: number }>(`/api/contacts/${to}`);
  const [row] = await service.database.query<{ emails: number }>(
    `select coalesce(sum(t.emails), 0)::integer as emails from campaign_totals t join campaigns c on c.id = t.campaign_id
      where c.name = $1`,
    [campaign],
  );
  return { contact: contact.totalEmails, campaign: row!.emails };
}

async function contact(address: string): Promise<ContactDetail> {
  return (await client.get<ContactDetail>(`/api/contacts/${address}`)).body;
}

async function memberships(campaign: string): Promise<number> {
  const sql = 'select from contact_campaigns m join campaigns c on c.id = m.campaign_id where c.name = $1';
  return (await service.database.query(sql, [campaign])).length;
}

describe('POST /api/emails/:id/retry', () => {
  it('lists failed emails with their reasons, queues one again and counts it again', async () => {
    const failed = await fail('twice@example.com', 'Retried');
    expect(failed.lastError).toMatch(/No such user/);
    const { body: list } = await client.get<{ emails: EmailSummary[] }>('/api/emails?status=failed');
    expect(list.emails).toContainEqual(expect.objectContaining({ id: failed.id, lastError: failed.lastError }));
    expect(await totals('twice@example.com', 'Retried')).toEqual({ contact: 0, campaign: 0 });

    const { status, body } = await client.post<EmailDetail>(`/api/emails/${failed.trackingId}/retry`);
    expect({ status, body }).toMatchObject({ status: 200, body: { id: failed.id, failedAt: null } });
    expect(await isSent(failed)).toMatchObject({ attempts: 1, lastError: null, possibleDuplicate: false });
    expect(await totals('twice@example.com', 'Retried')).toEqual({ contact: 1, campaign: 1 });
    expect(await failedTo('twice@example.com')).toBeUndefined();
  });

  it('restores what the failure took back from campaign and contacts, including the last time', async () => {
    const [campaign, to] = ['Restored', 'restored@example.com'];
    const failed = await fail(to, campaign);
    // With a later email it is no longer the contact's first, and no row records that after the failure.
    expect((await client.post('/api/send', { ...plain, to })).status).toBe(200);
    expect(await contact(to)).toMatchObject({ totalEmails: 1, campaigns: [] });
    expect((await client.post(`/api/emails/${failed.id}/retry`)).status).toBe(200);
    await isSent(failed);
    const { firstSeen, campaigns, totalEmails } = await contact(to);
    expect({ firstSeen, campaigns, totalEmails }).toEqual({
      firstSeen: failed.createdAt,
      campaigns: [campaign],
      totalEmails: 2,
    });
    const { body: listed } = await client.get<ContactView[]>(`/api/contacts?search=${to}`);
    expect(listed.map((one) => one.campaigns)).toEqual([[campaign]]);
  });

  it('does not change when a contact was first seen', async () => {
    const to = 'known@example.com';
    await client.post('/api/send', { ...plain, to });
    const { firstSeen } = await contact(to);
    const failed = await fail(to);
    await client.post(`/api/emails/${failed.id}/retry`);
    await isSent(failed);
    expect(await contact(to)).toMatchObject({ firstSeen, totalEmails: 2 });
  });

  it('leaves no trace of the failure in an email that is sent then', async () => {
    const never = { ...plain, to: 'straight@example.com', campaignId: 'Straight' };
    expect((await client.post('/api/send', never)).status).toBe(200);
    const failed = await fail('crooked@example.com', 'Crooked');
    await client.post(`/api/emails/${failed.id}/retry`);
    await isSent(failed);
    const [straight, crooked] = await Promise.all(
      ['straight@example.com', 'crooked@example.com'].map((to) =>
        eventually(async () => {
          const { lastActivity, totalEmails, engagementScore, timeline, campaigns } = await contact(to);
          return (
            timeline[0]?.timestamp === lastActivity && {
              counts: [totalEmails, engagementScore, timeline.length, campaigns.length],
            }
          );
        }),
      ),
    );
    expect(crooked).toEqual(straight);
    expect(await memberships('Crooked')).toEqual(await memberships('Straight'));
  });

  it('refuses an email that did not fail', async () => {
    const email = { from: 'ada@acme.example', to: 'fine@example.com', subject: 'S', htmlContent: '<p>x</p>' };
    const { body } = await client.post('/api/send', email);
    expect(await client.post(`/api/emails/${String(body.emailTrackingId)}/retry`)).toMatchObject({
      status: 409,
      body: { error: 'Only a failed email can be retried; this one is sent' },
    });
  });

  it('refuses an email of an archived campaign, and changes nothing', async () => {
    const failed = await fail('archived@example.com', 'Over');
    const { body } = await client.get<{ campaigns: { id: string; name: string }[] }>('/api/campaigns');
    await client.post(`/api/campaigns/${body.campaigns.find(({ name }) => name === 'Over')!.id}/archive`);
    expect(await client.post(`/api/emails/${failed.id}/retry`)).toMatchObject({
      status: 409,
      body: { error: 'The campaign of this email is archived, so the email cannot be retried' },
    });
    expect(await failedTo('archived@example.com')).toEqual(failed);
  });

  it('queues an email once, however many requests arrive at the same time', async () => {
    const failed = await fail('race@example.com', 'Race');
    const responses = await Promise.all(Array.from({ length: 8 }, () => client.post(`/api/emails/${failed.id}/retry`)));
    const statuses = responses.map(({ status }) => status).sort();
    expect(statuses).toEqual([200, ...Array<number>(7).fill(409)]);
    await isSent(failed);
    expect(await totals('race@example.com', 'Race')).toEqual({ contact: 1, campaign: 1 });
  });

  it('marks an email as a possible duplicate when the outcome of the first attempt is unknown', async () => {
    service.mailServer.scripts.add('held@example.com', { phase: 'dot', fault: 'drop', accepts: true }, 1);
    const email = { from: 'ada@acme.example', to: 'held@example.com', subject: 'S', htmlContent: '<p>x</p>' };
    expect((await client.post('/api/send', email)).status).toBe(500);
    const failed = (await failedTo('held@example.com'))!;
    expect(failed.possibleDuplicate).toBe(false);
    await client.post(`/api/emails/${failed.id}/retry`);
    expect(await isSent(failed)).toMatchObject({ possibleDuplicate: true });
  });
});

const retryAll = async (since: Date, organizationId: string | null) =>
  retryFailed(service.database, { since, until: await failedByNow(service.database), organizationId });

describe('retrying all emails that failed since a time', () => {
  it('queues them again, for one organization or for all', async () => {
    const [own, other] = [await service.organization(), await service.organization()];
    const old = await fail('old@example.com', undefined, own);
    await service.database.query(`update emails set failed_at = now() - interval '2 hours' where id = $1`, [old.id]);
    const before = await failedTo('old@example.com', own);
    const recent: EmailDetail[] = [];
    for (let n = 0; n < 3; n++) recent.push(await fail(`recent${n}@example.com`, 'Batch', own));
    const others = await fail('others@example.com', undefined, other);
    const since = new Date(Date.now() - 3_600_000);

    expect(await retryAll(since, own.organizationId)).toEqual({ retried: 3, notRetried: 0 });
    for (const email of recent) await isSent(email, own);
    expect(await failedTo('old@example.com', own)).toEqual(before);
    expect(await failedTo('others@example.com', other)).toEqual(others);

    const { retried } = await retryAll(since, null);
    expect(retried).toBeGreaterThanOrEqual(1);
    await isSent(others, other);
  });

  it('counts each of several emails again, for one contact and one campaign', async () => {
    const own = await service.organization();
    const failOnce = () => fail('several@example.com', 'Several', own);
    const failed = [await failOnce(), await failOnce()];
    expect(await retryAll(new Date(0), own.organizationId)).toEqual({ retried: 2, notRetried: 0 });
    for (const email of failed) await isSent(email, own);
    const { body } = await own.get<ContactDetail>('/api/contacts/several@example.com');
    expect(body).toMatchObject({ totalEmails: 2, campaigns: ['Several'], firstSeen: failed[0]!.createdAt });
    expect((await totals('several@example.com', 'Several')).campaign).toBe(2);
  });
});

describe('retries during other sends of the campaign', () => {
  it('lock contacts before totals, as sends do, so that they cannot deadlock', async () => {
    const failed = await fail('crossing@example.com', 'Crossing');
    await service.database.transaction(async (sql) => {
      await sql.query(`select from contacts where address_key = 'crossing@example.com' for update`);
      const retried = client.post(`/api/emails/${failed.id}/retry`);
      await lockedOut(service.database, 1);
      const totals = `select t.shard from campaign_totals t join campaigns c on c.id = t.campaign_id
                       where c.name = 'Crossing' for update of t nowait`;
      expect(await sql.query(totals)).not.toHaveLength(0);
      await sql.query('commit');
      expect((await retried).status).toBe(200);
    });
  });
});

it('leave the first response to an idempotency key unchanged', async () => {
  const idempotent = new IdempotentClient(client);
  const { key, to } = fresh();
  service.mailServer.scripts.add(to, { phase: 'rcpt', reply: '550 5.7.1 No such user' }, 1);
  const first = await idempotent.send(key, { ...plain, to });
  expect(first.status).toBe(500);
  const failed = (await failedTo(to))!;
  expect((await client.post(`/api/emails/${failed.id}/retry`)).status).toBe(200);
  await isSent(failed);
  expect(statusesAndBodies(await idempotent.send(key, { ...plain, to }))).toEqual(statusesAndBodies(first));
});
