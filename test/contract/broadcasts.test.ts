import { isDeepStrictEqual } from 'node:util';
import type { BroadcastView } from '../../src/broadcasts/broadcast-view.js';
import type { EmailSummary } from '../../src/emails/read/email-list.js';
import { BroadcastClient, draft, people } from '../support/broadcast-client.js';
import { eventually } from '../support/eventually.js';
import { TestService, type TestClient } from '../support/service.js';
import { onlyMailTo } from '../support/only-mail-to.js';

let service: TestService;
let client: TestClient;
let broadcasts: BroadcastClient;

beforeAll(async () => {
  service = await TestService.start({ environment: { RATE_LIMIT_PER_MINUTE: '0' } });
});
beforeEach(async () => {
  client = await service.organization();
  broadcasts = new BroadcastClient(client);
});
afterAll(() => service?.stop());

function recipientsReached(): string[] {
  return service.mailServer.messages.flatMap(({ recipients }) => recipients);
}

describe('a broadcast', () => {
  it('sends every recipient an email of their own, in its campaign, with an unsubscribe link', async () => {
    const id = await broadcasts.create();
    expect(await broadcasts.read(id)).toMatchObject({
      status: 'draft',
      campaignId: null,
      progress: { total: 0, sent: 0 },
    });
    expect(await broadcasts.add(id, people(40))).toEqual({
      added: 40,
      repeated: 0,
      suppressed: 0,
      invalidTotal: 0,
      invalid: [],
    });
    const begun = await client.post<BroadcastView>(`/api/broadcasts/${id}/send`);
    expect(begun).toMatchObject({ status: 200, body: { status: 'sending', progress: { total: 40 } } });

    const { campaignId, progress } = await broadcasts.settled(id, 'sent');
    expect(progress).toMatchObject({ total: 40, sent: 40, failed: 0, suppressed: 0, canceled: 0, etaSeconds: null });
    const messages = service.mailServer.messages.map(({ content }) => content.toString());
    expect(messages).toHaveLength(40);
    expect(new Set(messages.map((text) => /^To: (.*)$/m.exec(text)?.[1]?.trim())).size).toBe(40);
    for (const text of messages) expect(text).toMatch(/^List-Unsubscribe: </m);
    const { body: campaign } = await client.get(`/api/campaigns/${String(campaignId)}`);
    expect(campaign).toMatchObject({ name: 'Spring sale', stats: { totalEmails: 40 } });
    // The campaign's statistics change until its events are counted.
    await eventually(async () => {
      const [ofBroadcast, ofCampaign] = [`/api/broadcasts/${id}`, `/api/campaigns/${String(campaignId)}`];
      const [one, other] = [(await client.get(ofBroadcast)).body, (await client.get(ofCampaign)).body];
      return isDeepStrictEqual(one.stats, other.stats);
    });
    const { body: list } = await client.get<{ emails: EmailSummary[] }>('/api/emails?campaignId=Spring%20sale');
    expect(list.emails.map(({ status, subject }) => `${status} ${subject}`)).toEqual(Array(40).fill('sent The sale'));
    const { body: contact } = await client.get('/api/contacts/reader7@example.com');
    expect(contact).toMatchObject({ email: 'reader7@example.com' });
  });

  it('renders the variables of each recipient into subject, HTML and text, and lists the rendered subject', async () => {
    const id = await broadcasts.create({
      subject: 'For {{ name | default: "you" }}',
      htmlContent: '<p>Hello {{ name }}</p><a href="{{ unsubscribe_url }}">Stop</a>',
      textContent: 'Hello {{ name }}, stop: {{ unsubscribe_url }}',
      tags: ['spring'],
    });
    await broadcasts.add(id, [
      { to: 'Ada <ada@readers.example>', variables: { name: 'Ada & <Bob>' }, metadata: { order: 1 } },
      { to: 'eve@readers.example' },
    ]);
    await client.post(`/api/broadcasts/${id}/send`);
    await broadcasts.settled(id, 'sent');
    const ada = await onlyMailTo(service, 'ada@readers.example');
    expect(ada.subject).toBe('For Ada & <Bob>');
    expect(ada.html).toContain('<p>Hello Ada &amp; &lt;Bob&gt;</p>');
    const unsubscribe = /href="(http:\/\/track\.test\/api\/t\/u\/[\w-]+)"/.exec(String(ada.html))?.[1];
    expect(ada.text).toBe(`Hello Ada & <Bob>, stop: ${unsubscribe}`);
    expect((await onlyMailTo(service, 'eve@readers.example')).subject).toBe('For you');
    const { body } = await client.get<{ emails: EmailSummary[] }>('/api/emails?tag=spring');
    expect(body.emails.map(({ subject }) => subject).sort()).toEqual(['For Ada & <Bob>', 'For you']);
    const { body: detail } = await client.get(`/api/emails/${body.emails.find((e) => e.subject !== 'For you')!.id}`);
    expect(detail).toMatchObject({ subject: 'For Ada & <Bob>', metadata: { order: 1 }, tags: ['spring'] });
  });

  it.each([
    [{ htmlContent: '<p>\n{% if %}' }, /htmlContent .*line 2, column 6/],
    [{ subject: '{{ a | nothing }}' }, /subject .*line 1, column 1/],
    [{ textContent: '{% for x in' }, /textContent .*line 1, column 1/],
    [{ htmlContent: undefined }, /htmlContent is required/],
    [{ name: ' ' }, /name/],
    [{ from: 'nobody' }, /from/],
    [{ pace: 0 }, /pace/],
    [{ pace: 1.5 }, /pace/],
    [{ sendAt: 'tomorrow' }, /sendAt/],
    [{ sendAt: '2999-01-01T00:00:00.000Z' }, /sendAt must be at most 366 days ahead/],
  ])('refuses %j', async (fields, error) => {
    const { status, body } = await client.post('/api/broadcasts', { ...draft, ...fields });
    expect({ status, error: body.error }).toEqual({ status: 400, error: expect.stringMatching(error) });
  });

  it('sends the version that a template had when the broadcast was created', async () => {
    const template = { name: 'T', subject: 'Hi {{ name }}', htmlContent: '<p>First</p>' };
    const { body } = await client.post('/api/templates', template);
    const templateId = String(body.id);
    const id = await broadcasts.create({ subject: undefined, htmlContent: undefined, templateId });
    await client.put(`/api/templates/${templateId}`, { ...template, htmlContent: '<p>Second</p>' });
    await broadcasts.add(id, [{ to: 'tess@readers.example', variables: { name: 'Tess' } }]);
    await broadcasts.move(id, 'send');
    await broadcasts.settled(id, 'sent');
    const { subject, html } = await onlyMailTo(service, 'tess@readers.example');
    expect({ subject, html }).toEqual({ subject: 'Hi Tess', html: expect.stringContaining('<p>First</p>') });
    // A broadcast is sent even if its template is deleted.
    const next = await broadcasts.create({ subject: undefined, htmlContent: undefined, templateId });
    expect((await client.delete(`/api/templates/${templateId}`)).status).toBe(204);
    await broadcasts.add(next, [{ to: 'tom@readers.example', variables: { name: 'Tom' } }]);
    await broadcasts.move(next, 'send');
    await broadcasts.settled(next, 'sent');
    expect((await onlyMailTo(service, 'tom@readers.example')).html).toContain('<p>Second</p>');
    const unknown = { ...draft, templateId: id };
    expect((await client.post('/api/broadcasts', unknown)).body.error).toMatch(/templateId names no template/);
  });

  it('belongs to the campaign in its request', async () => {
    const { body: campaign } = await client.post<{ id: string }>('/api/campaigns', { name: 'Summer' });
    const id = await broadcasts.create({ campaignId: 'Summer' });
    await broadcasts.add(id, [{ to: 'una@readers.example' }]);
    await broadcasts.move(id, 'send');
    expect(await broadcasts.settled(id, 'sent')).toMatchObject({ campaignId: campaign.id });
    const { body } = await client.get<{ campaigns: { name: string }[] }>('/api/campaigns');
    expect(body.campaigns.map(({ name }) => name)).toEqual(['Summer']);
  });

  it('leaves out recipients that are suppressed when they are added, and those that are suppressed later', async () => {
    await client.post('/api/suppressions', { address: 'Gone@readers.example' });
    const id = await broadcasts.create();
    const uploaded = await broadcasts.add(id, [
      { to: 'gone@readers.example' },
      { to: 'late@readers.example' },
      ...people(2),
    ]);
    expect(uploaded).toMatchObject({ added: 3, suppressed: 1 });
    expect(await broadcasts.read(id)).toMatchObject({ progress: { total: 4, queued: 3, suppressed: 1 } });
    await client.post('/api/suppressions', { address: 'late@readers.example' });
    await client.post(`/api/broadcasts/${id}/send`);
    expect(await broadcasts.settled(id, 'sent')).toMatchObject({
      progress: { total: 4, sent: 2, failed: 0, suppressed: 2 },
    });
    expect(recipientsReached()).not.toContain('late@readers.example');
  });

  it('counts failures, and leaves out recipients who unsubscribed from broadcasts', async () => {
    service.mailServer.scripts.add('refused@readers.example', { phase: 'rcpt', reply: '550 5.7.1 No' }, 1);
    await service.database.query(
      `insert into suppressions (organization_id, address_key, reason, address)
       values ($1, 'left@readers.example', 'unsubscribe', 'left@readers.example')`,
      [client.organizationId],
    );
    const id = await broadcasts.create();
    await broadcasts.add(id, [{ to: 'refused@readers.example' }, { to: 'left@readers.example' }, ...people(3)]);
    await client.post(`/api/broadcasts/${id}/send`);
    expect(await broadcasts.settled(id, 'sent')).toMatchObject({
      progress: { total: 5, sent: 3, failed: 1, suppressed: 1 },
    });
  });
});

it('can be deleted as a draft, with its recipients; lists are paged', async () => {
  const ids = [await broadcasts.create(), await broadcasts.create(), await broadcasts.create()];
  await broadcasts.add(ids[0]!, people(2));
  const { body } = await client.get<{ broadcasts: BroadcastView[] }>('/api/broadcasts?limit=2');
  expect(body.broadcasts.map(({ id }) => id)).toEqual([ids[2], ids[1]]);
  expect((await client.delete(`/api/broadcasts/${ids[0]}`)).status).toBe(204);
  expect((await client.get(`/api/broadcasts/${ids[0]}`)).status).toBe(404);
  const rows = await service.database.query('select from broadcast_recipients where broadcast_id = $1', [ids[0]]);
  expect(rows).toEqual([]);
});
