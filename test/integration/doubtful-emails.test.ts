import type { CampaignDetail } from '../../src/campaigns/campaign-reports.js';
import type { ContactDetail } from '../../src/contacts/contact-views.js';
import { listUnknownOutcomes } from '../../src/emails/delivery/unknown-outcomes.js';
import { settleUnknownOutcome, type OutcomeDecision } from '../../src/emails/delivery/settle-unknown-outcome.js';
import type { EmailDetail } from '../../src/emails/read/email-detail.js';
import { eventually } from '../support/eventually.js';
import { runCommand } from '../support/command-line.js';
import { TestService, type TestClient } from '../support/service.js';

const url = 'https://shop.example/sale';
let made = 0;

describe.each(['hold', 'resend'] as const)('an email in doubt, with AMBIGUOUS_SEND=%s', (policy) => {
  let service: TestService;
  let client: TestClient;
  beforeAll(async () => {
    service = await TestService.start({ environment: { AMBIGUOUS_SEND: policy, SEND_RESPONSE_TIMEOUT_MS: '1000' } });
    client = await service.organization();
  });
  /** Otherwise the provider would count as failing after five doubts. */
  beforeEach(async () => {
    const email = { from: 'a@acme.example', to: `fine-${++made}@example.com`, subject: 'S', htmlContent: '<p>x</p>' };
    await client.post('/api/send', email);
    await eventually(() => copies(email.to) === 1);
  });
  afterAll(() => service?.stop());

  /** Sends an email whose final dot gets no reply the first times, although the server accepts it. */
  async function doubt(times = 1): Promise<{ id: string; to: string }> {
    const to = `doubt-${++made}@example.com`;
    service.mailServer.scripts.add(to, { phase: 'dot', fault: 'drop', accepts: true }, times);
    const htmlContent = `<a href="${url}">Sale</a>`;
    await client.post('/api/send', { from: 'a@acme.example', to, subject: 'S', htmlContent, campaignId: `C ${to}` });
    const { id } = await eventually(async () => (await doubtful()).find((email) => email.to[0] === to));
    return { id, to };
  }
  const doubtful = () => listUnknownOutcomes(service.database, client.organizationId, 10);
  const settle = (id: string, verdict: OutcomeDecision) =>
    settleUnknownOutcome(service.database, id, verdict, () => [url]);
  const copies = (to: string): number =>
    service.mailServer.messages.filter(({ recipients }) => recipients.includes(to)).length;
  const detail = async (id: string): Promise<EmailDetail> => (await client.get<EmailDetail>(`/api/emails/${id}`)).body;
  const contact = async (to: string) => (await client.get<ContactDetail>(`/api/contacts/${to}`)).body;
  async function campaign(name: string): Promise<CampaignDetail> {
    const { body } = await client.get<{ campaigns: { id: string; name: string }[] }>('/api/campaigns');
    return (await client.get<CampaignDetail>(`/api/campaigns/${body.campaigns.find((one) => one.name === name)!.id}`))
      .body;
  }

  it('is listed with what an operator needs to find it, and only for its organization', async () => {
    const { id, to } = await doubt();
    const listed = (await doubtful()).find((email) => email.id === id)!;
    expect(listed).toEqual({
      ...{ id, to: [to], subject: 'S', organizationId: client.organizationId, trackingId: expect.any(String) },
      ...{ state: policy === 'hold' ? 'failed' : 'waiting', reason: expect.any(String) },
      ...{ acceptedAt: expect.any(Date), resendAt: policy === 'hold' ? null : expect.any(Date) },
    });
    const otherClient = await service.organization();
    expect(await listUnknownOutcomes(service.database, otherClient.organizationId, 10)).toEqual([]);
    expect(await listUnknownOutcomes(service.database, client.organizationId, 1)).toHaveLength(1);
  });

  it('counts as sent when an operator settles it so, with its links, webhooks and totals, and is not sent again', async () => {
    const { id, to } = await doubt();
    await client.post('/api/webhooks', { url: 'https://hooks.example.com/', events: ['EMAIL_SENT'] });
    expect(await settle(id, 'sent')).toBe(true);
    expect(await detail(id)).toMatchObject({
      status: 'sent',
      possibleDuplicate: false,
      lastError: null,
      failedAt: null,
    });
    expect((await campaign(`C ${to}`)).stats.totalEmails).toBe(1);
    expect(await contact(to)).toMatchObject({ totalEmails: 1, campaigns: [`C ${to}`] });
    const [webhook] = await service.database.query<{ type: string; urls: string[] }>(
      `select d.type, l.urls from webhook_deliveries d, email_links l where l.email_id = $1 and d.body like $2`,
      [id, `%${id}%`],
    );
    expect(webhook).toEqual({ type: 'EMAIL_SENT', urls: [url] });
    expect(await settle(id, 'sent')).toBe(false);
    expect((await doubtful()).map((email) => email.id)).not.toContain(id);
    expect(copies(to)).toBe(1);
  });

  it('stays flagged when an operator settles it as sent after its second copy', async () => {
    const { id, to } = await doubt(2);
    expect(await settle(id, 'resend')).toBe(true);
    await eventually(async () => copies(to) === 2 && (await detail(id)).status === 'failed');
    expect(await settle(id, 'sent')).toBe(true);
    expect(await detail(id)).toMatchObject({ status: 'sent', possibleDuplicate: true });
    expect(copies(to)).toBe(2);
  });

  it('is sent once more at once and flagged, when an operator requests that', async () => {
    const { id, to } = await doubt();
    expect(await settle(id, 'resend')).toBe(true);
    await eventually(async () => (await detail(id)).status === 'sent');
    expect(await detail(id)).toMatchObject({ possibleDuplicate: true });
    expect(copies(to)).toBe(2);
    expect(await contact(to)).toMatchObject({ totalEmails: 1, campaigns: [`C ${to}`] });
  });

  it('can be settled as failed, and is not listed any more', async () => {
    const { id, to } = await doubt();
    expect(await settle(id, 'failed')).toBe(true);
    expect(await detail(id)).toMatchObject({
      status: 'failed',
      possibleDuplicate: false,
      lastError: 'Settled by an operator as not delivered',
    });
    expect((await doubtful()).map((email) => email.id)).not.toContain(id);
    expect(await contact(to)).toMatchObject({ totalEmails: 0, campaigns: [] });
    expect((await campaign(`C ${to}`)).stats.totalEmails).toBe(0);
    expect(await settle(id, 'resend')).toBe(false);
    expect(copies(to)).toBe(1);
  });

  it('stays listed when its second copy is refused, or when its recipient is suppressed before that', async () => {
    const [refused, suppressed] = [await doubt(), await doubt()];
    service.mailServer.scripts.add(refused.to, { phase: 'rcpt', reply: '550 5.7.1 Not here' }, 1);
    expect((await client.post('/api/suppressions', { addresses: [suppressed.to] })).status).toBe(201);
    for (const [{ id, to }, reason] of [
      [refused, /^Delivery outcome unknown: .*550 5\.7\.1 Not here/],
      [suppressed, /^Delivery outcome unknown: .*Every recipient is suppressed/],
    ] as const) {
      expect(await settle(id, 'resend')).toBe(true);
      const { lastError } = await eventually(async () => {
        const found = await detail(id);
        return found.status === 'failed' && found;
      });
      expect(lastError).toMatch(reason);
      expect((await doubtful()).find((email) => email.id === id)).toMatchObject({ state: 'failed' });
      expect(copies(to)).toBe(1);
      expect(await settle(id, 'sent')).toBe(true);
      expect(await detail(id)).toMatchObject({ status: 'sent', lastError: null });
    }
  });

  it('cannot be settled while it is not in doubt', async () => {
    const { body } = await client.post<{ emailTrackingId: string }>('/api/send', {
      ...{ from: 'a@acme.example', to: 'fine@example.com', subject: 'S', htmlContent: '<p>x</p>' },
    });
    const { body: fine } = await client.get<EmailDetail>(`/api/emails/${body.emailTrackingId}`);
    for (const verdict of ['sent', 'resend', 'failed'] as const) expect(await settle(fine.id, verdict)).toBe(false);
    expect(await detail(fine.id)).toEqual(fine);
  });
});

it('the command refuses invalid arguments before it opens a connection', async () => {
  const run = async (...words: string[]): Promise<string> =>
    (await runCommand({}, 'email', 'doubtful', ...words)).output;
  expect(await run('settle', 'not-an-id', '--as', 'sent')).toContain('not-an-id is not the ID of an email');
  const id = '018f0000-0000-7000-8000-000000000000';
  expect(await run('settle', id, '--as', 'lost')).toContain('must be one of sent, resend, failed');
  expect(await run('list', '--limit', '0')).toContain('must be a whole number from 1 to 99999');
});
