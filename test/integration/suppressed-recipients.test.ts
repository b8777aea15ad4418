import type { SendResponse } from '../../src/emails/accept/send-response.js';
import type { EmailDetail } from '../../src/emails/read/email-detail.js';
import { eventually } from '../support/eventually.js';
import { TestService, type ApiResponse, type TestClient } from '../support/service.js';
import { WebhookReceiver } from '../support/webhook-receiver.js';

/** Accepts emails; they are delivered only once a worker starts. */
let api: TestService;
let worker: TestService | undefined;
let receiver: WebhookReceiver;
let client: TestClient;

beforeAll(async () => {
  receiver = await WebhookReceiver.listen();
  api = await TestService.start({
    environment: { ROLES: 'api', WEBHOOK_ALLOW_PRIVATE_ADDRESSES: 'true', RATE_LIMIT_PER_MINUTE: '0' },
  });
});
beforeEach(async () => {
  client = await api.organization();
  await client.post('/api/webhooks', { url: receiver.url, events: ['EMAIL_SUPPRESSED', 'EMAIL_FAILED', 'EMAIL_SENT'] });
});
afterEach(async () => {
  await worker?.stop();
  worker = undefined;
});
afterAll(async () => {
  await api?.stop();
  await receiver?.stop();
});

async function startWorker(): Promise<void> {
  worker = await TestService.start({
    beside: api,
    environment: { ROLES: 'worker,flusher', WEBHOOK_ALLOW_PRIVATE_ADDRESSES: 'true' },
  });
}

let count = 0;
/** An address that no other test uses. */
const fresh = (name: string): string => `${name}${++count}@example.com`;

function send(
  fields: object,
  headers: Record<string, string> = {},
): Promise<ApiResponse<SendResponse & { error?: string }>> {
  const email = { from: 'ada@acme.example', subject: 'S', htmlContent: '<p>x</p>', ...fields };
  return client.post('/api/send', email, { prefer: 'respond-async', ...headers });
}

async function suppress(...addresses: string[]): Promise<void> {
  expect((await client.post('/api/suppressions', { addresses })).status).toBe(201);
}

async function unsubscribe(address: string): Promise<void> {
  await api.database.query(
    `insert into suppressions (organization_id, address_key, reason, address) values ($1, lower($2), 'unsubscribe', $2)`,
    [client.organizationId, address],
  );
}

async function detail(id: string): Promise<EmailDetail> {
  return (await client.get<EmailDetail>(`/api/emails/${id}`)).body;
}

/** The recipients that are recorded as suppressed. */
async function leftOut(trackingId: string): Promise<string[]> {
  const stored = await api.database.query<{ address: string; state: string; facts: number; reason: string }>(
    `select address, state, facts, reason from recipient_deliveries
      where email_id = (select id from emails where tracking_id = $1) order by address collate "C"`,
    [trackingId],
  );
  for (const { state, facts, reason } of stored)
    expect({ state, facts, reason }).toEqual({
      state: 'refused',
      facts: 16,
      reason: 'The address is suppressed: manual',
    });
  return stored.map(({ address }) => address);
}

const mailTo = (address: string) => api.mailServer.messages.filter(({ recipients }) => recipients.includes(address));

/** The data of all webhooks of a type so far. */
function webhookData(type: string): Record<string, unknown>[] {
  return receiver.received
    .map(({ body }) => JSON.parse(body) as { type: string; data: Record<string, unknown> })
    .filter((webhook) => webhook.type === type)
    .map(({ data }) => data);
}

async function rows(): Promise<unknown> {
  const [row] = await api.database.query(
    `select (select count(*)::int from emails where organization_id = $1) as emails,
            (select count(*)::int from contacts where organization_id = $1) as contacts,
            (select count(*)::int from idempotency_keys where organization_id = $1) as keys,
            (select coalesce(sum(emails), 0)::int from campaign_totals t join campaigns c on c.id = t.campaign_id
              where c.organization_id = $1) as counted,
            (select coalesce(sum(suppressed), 0)::int from campaign_totals t join campaigns c on c.id = t.campaign_id
              where c.organization_id = $1) as suppressed,
            (select count(*)::int from campaigns where organization_id = $1) as campaigns`,
    [client.organizationId],
  );
  return row;
}

describe('when an email is accepted', () => {
  it('leaves a suppressed recipient out and names it in the response; `to` is as requested', async () => {
    const [left, also, copy, hidden] = ['Left', 'also', 'copy', 'hidden'].map(fresh) as [
      string,
      string,
      string,
      string,
    ];
    await suppress(left.toUpperCase(), copy, hidden);
    const to = [left, also];
    const { status, body } = await send({ to, cc: copy, bcc: hidden, campaignId: 'Spring' });
    expect(status).toBe(202);
    expect(body.to).toEqual(to);
    expect(body.suppressed).toEqual([left, copy, hidden].map((address) => ({ address, reason: 'manual' })));
    expect(await rows()).toMatchObject({ emails: 1, contacts: 1, counted: 1, suppressed: 3 });
    expect(await leftOut(body.emailTrackingId)).toEqual([left, copy, hidden].sort());
    await startWorker();
    await eventually(() => mailTo(also).length === 1);
    expect([left, copy, hidden].flatMap(mailTo)).toEqual([]);
    await eventually(() => webhookData('EMAIL_SUPPRESSED').length >= 3);
  });

  it('has no field `suppressed` when no recipient is left out', async () => {
    const { body } = await send({ to: fresh('reader') });
    expect(body).not.toHaveProperty('suppressed');
  });

  it('returns the same suppressed recipients to a repeated request, regardless of later suppressions', async () => {
    const [left, also] = [fresh('left'), fresh('also')];
    await suppress(left);
    const headers = { 'idempotency-key': 'twice' };
    const first = await send({ to: [left, also] }, headers);
    expect(first.body.suppressed).toEqual([{ address: left, reason: 'manual' }]);
    await client.delete(`/api/suppressions/${left}`);
    await suppress(also);
    const second = await send({ to: [left, also] }, headers);
    expect(second.headers.get('idempotent-replayed')).toBe('true');
    expect(second.body).toEqual(first.body);
  });

  it('returns 422 with a detail per address when all of `to` are suppressed; nothing is stored, the key stays free', async () => {
    const [one, two, copy] = [fresh('one'), fresh('two'), fresh('copy')];
    await suppress(one, two);
    const headers = { 'idempotency-key': 'free' };
    const fields = { to: [one, two], cc: copy, campaignId: 'Spring' };
    const response = await send(fields, headers);
    expect(response).toMatchObject({
      status: 422,
      body: {
        error: expect.stringMatching(/suppressed/),
        details: [one, two].map((address) => ({ field: 'to', message: `${address} is suppressed: manual` })),
      },
    });
    expect(await rows()).toEqual({ emails: 0, contacts: 0, keys: 0, counted: 0, suppressed: 0, campaigns: 0 });
    await client.delete(`/api/suppressions/${one}`);
    expect((await send(fields, headers)).status).toBe(202);
    expect(await rows()).toEqual({ emails: 1, contacts: 1, keys: 1, counted: 1, suppressed: 1, campaigns: 1 });
  });

  it('applies an unsubscribe only to marketing mail', async () => {
    const reader = fresh('reader');
    await unsubscribe(reader);
    expect((await send({ to: reader })).status).toBe(202);
    await suppress(reader);
    expect((await send({ to: reader })).status).toBe(422);
  });

  it('does not filter mail that another provider delivers', async () => {
    const reader = fresh('reader');
    await suppress(reader);
    const response = await client.post('/api/emails', { to: reader, subject: 'S', htmlContent: '<p>x</p>' });
    expect(response.status).toBe(200);
    expect(response.body).not.toHaveProperty('suppressed');
  });

  it('ignores suppressions of another organization', async () => {
    const reader = fresh('reader');
    await suppress(reader);
    client = await api.organization();
    expect((await send({ to: reader })).status).toBe(202);
  });
});

describe('when a worker claims an email', () => {
  it('leaves out recipients who were suppressed since then, and sends to the others', async () => {
    const [left, also] = [fresh('left'), fresh('also')];
    const { body } = await send({ to: left, cc: also });
    await suppress(left);
    await startWorker();
    await eventually(async () => (await detail(body.emailTrackingId)).status === 'sent');
    expect(mailTo(left)).toEqual([]);
    expect(mailTo(also)).toHaveLength(1);
    expect(await leftOut(body.emailTrackingId)).toEqual([left]);
    await eventually(() => webhookData('EMAIL_SUPPRESSED').some(({ recipient }) => recipient === left));
  });

  it('fails the email with that reason if no recipient remains, and it does not count any more', async () => {
    const reader = fresh('reader');
    const { body } = await send({ to: reader, campaignId: 'Spring' });
    await suppress(reader);
    await startWorker();
    const failed = await eventually(async () => {
      const email = await detail(body.emailTrackingId);
      return email.status === 'failed' && email;
    });
    expect(failed.lastError).toBe(`Every recipient is suppressed: ${reader} (manual)`);
    expect(await leftOut(body.emailTrackingId)).toEqual([reader]);
    expect(mailTo(reader)).toEqual([]);
    expect(await rows()).toMatchObject({ emails: 1, counted: 0, suppressed: 1 });
    await client.delete(`/api/suppressions/${reader}`);
    expect((await client.post(`/api/emails/${body.emailTrackingId}/retry`)).status).toBe(200);
    await eventually(() => mailTo(reader).length === 1);
  });
});

it('counts suppressed recipients by reason', async () => {
  const text = await (await fetch(`${api.operatorAddress}/metrics`)).text();
  expect(text).toMatch(/mailbeacon_suppressed_recipients_total\{at="acceptance",reason="manual"[^}]*\} [1-9]/);
});
