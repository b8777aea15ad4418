import type { CampaignView } from '../../src/campaigns/campaigns.js';
import type { BroadcastMessageView, BroadcastRecipientView } from '../../src/broadcasts/broadcast-content.js';
import { BroadcastClient, draft, people } from '../support/broadcast-client.js';
import { changeDraft } from '../support/changed-drafts.js';
import { lockedOut, whileLocked } from '../support/held-lock.js';
import { nextPage } from '../support/next-page.js';
import { TestService, type TestClient } from '../support/service.js';

let service: TestService;
let client: TestClient;
let broadcasts: BroadcastClient;

beforeAll(async () => {
  service = await TestService.start();
});
beforeEach(async () => {
  client = await service.organization();
  broadcasts = new BroadcastClient(client);
});
afterAll(() => service?.stop());

const change = (id: string, fields: object) => changeDraft(client, id, fields);

const messageOf = async (id: string) => (await client.get<BroadcastMessageView>(`/api/broadcasts/${id}/message`)).body;

describe('a draft', () => {
  it('is replaced as a whole, keeps its recipients and is sent as changed', async () => {
    const id = await broadcasts.create({ tags: ['spring'], pace: 600 });
    await broadcasts.add(id, [{ to: 'Ada <ada@readers.example>', variables: { name: 'Ada' } }]);
    const { status, body } = await change(id, { name: 'Autumn', subject: 'Autumn, {{ name }}', textContent: 'Hi' });
    expect(status).toBe(200);
    expect(body).toMatchObject({ name: 'Autumn', tags: [], pace: null, status: 'draft', progress: { total: 1 } });
    expect(await messageOf(id)).toEqual({
      subject: 'Autumn, {{ name }}',
      htmlContent: draft.htmlContent,
      textContent: 'Hi',
      mjml: null,
      headers: null,
      attachments: [],
    });
    await broadcasts.move(id, 'send');
    await broadcasts.settled(id, 'sent');
    const { body: sent } = await client.get<{ emails: { subject: string }[] }>('/api/emails');
    expect(sent.emails.map(({ subject }) => subject)).toEqual(['Autumn, Ada']);
    expect(
      await service.database.query('select from messages where organization_id = $1', [client.organizationId]),
    ).toHaveLength(1);
  });

  it('cannot be changed to a message that does not parse', async () => {
    const id = await broadcasts.create();
    for (const [htmlContent, error] of [
      ['<p>{% if %}</p>', 'line 1, column 9'],
      ['<p>{{ First Name }}</p>', 'line 1, column 4: two values in a row'],
      ['{% for x in First Names %}<p>{{ x }}</p>{% endfor %}', 'line 1, column 1: "Names" would be ignored'],
    ] as const)
      expect(await change(id, { htmlContent })).toMatchObject({
        status: 400,
        body: { error: expect.stringContaining(error) },
      });
    expect((await messageOf(id)).htmlContent).toBe(draft.htmlContent);
  });

  it('takes the message of a template that is older than a check, but no new parts with its mistake', async () => {
    const stored = await client.post('/api/templates', { name: 'T', subject: 'S', htmlContent: '<p>x</p>' });
    const templateId = String(stored.body.id);
    await service.database.query('update template_versions set html_content = $2 where template_id = $1', [
      templateId,
      '{% for x in First Names %}{{ x }}{% endfor %}',
    ]);
    const { name, from } = draft;
    const created = await client.post('/api/broadcasts', { name, from, templateId });
    expect([created.status, created.body.error]).toEqual([201, undefined]);
    const refused = await client.post('/api/broadcasts', { name, from, templateId, subject: '{{ First Name }}' });
    expect([refused.status, refused.body.error]).toEqual([400, expect.stringContaining('two values in a row')]);
  });

  it('returns MJML as written, in a draft and in a template, beside the compiled HTML', async () => {
    const mjml =
      '<mjml><mj-body><mj-section><mj-column><mj-text>Hi {{ name }}</mj-text></mj-column></mj-section></mj-body></mjml>';
    const id = await broadcasts.create({ htmlContent: mjml });
    expect(await messageOf(id)).toMatchObject({
      mjml,
      htmlContent: expect.stringContaining('<!doctype html>') as string,
    });
    const { body: template } = await client.post('/api/templates', { name: 'M', subject: 'S', htmlContent: mjml });
    await change(id, { htmlContent: undefined, templateId: template.id });
    expect((await messageOf(id)).mjml).toBe(mjml);
    await change(id, { htmlContent: '<p>Hi</p>' });
    expect(await messageOf(id)).toMatchObject({ mjml: null, htmlContent: '<p>Hi</p>' });
  });

  it('cannot be changed any more once it is sent', async () => {
    const id = await broadcasts.create({ sendAt: new Date(Date.now() + 3_600_000).toISOString() });
    await broadcasts.add(id, people(1));
    await broadcasts.move(id, 'send');
    expect((await change(id, {})).status).toBe(409);
  });

  /** Changes a draft after a request to send it has read it, and before this request sends it. */
  const sendDuringChange = async (sender: BroadcastClient, id: string, fields: object) => {
    let sent: ReturnType<BroadcastClient['move']> | undefined;
    await whileLocked(
      service.database,
      // The request to send creates a campaign, which waits for this lock.
      (sql) => sql.query('select from organizations where id = $1 for no key update', [client.organizationId]),
      async () => {
        sent = sender.move(id, 'send');
        await lockedOut(service.database, 1);
        expect((await change(id, fields)).status).toBe(200);
      },
    );
    return sent!;
  };

  it('that is changed at the same moment is sent as changed, also in its campaign', async () => {
    const { body: other } = await client.post<CampaignView>('/api/campaigns', { name: 'Other' });
    const id = await broadcasts.create();
    await broadcasts.add(id, people(1));
    expect(await sendDuringChange(broadcasts, id, { campaignId: 'Other', subject: 'Changed' })).toEqual({
      status: 200,
      is: 'sending',
    });
    expect(await broadcasts.settled(id, 'sent')).toMatchObject({ campaignId: other.id, subject: 'Changed' });
  });

  it('that is changed at the same moment is not sent by a key that may not send from its new domain', async () => {
    const { body: key } = await client.post<{ key: string }>('/api/keys', {
      scopes: ['send'],
      allowedDomains: ['acme.example'],
    });
    const limited = new BroadcastClient(service.client(client.organizationId, key.key));
    const id = await broadcasts.create();
    await broadcasts.add(id, people(1));
    expect(await sendDuringChange(limited, id, { from: 'ceo@other.example' })).toMatchObject({ status: 403 });
    expect(await broadcasts.read(id)).toMatchObject({ status: 'draft', from: 'ceo@other.example' });
  });

  it('previews the email of each recipient', async () => {
    const id = await broadcasts.create({
      subject: 'For {{ name }}',
      htmlContent: '<p>{{ name }} {{unsubscribe_url}}</p>',
    });
    await broadcasts.add(id, [{ to: 'Ada <ada@readers.example>', variables: { name: 'Ada <b>' } }]);
    const preview = (to: string) => client.get(`/api/broadcasts/${id}/preview?to=${encodeURIComponent(to)}`);
    const { status, body } = await preview('ADA@readers.example');
    expect({ status, body }).toMatchObject({ status: 200, body: { subject: 'For Ada <b>' } });
    expect(body.html).toContain('Ada &lt;b&gt; #unsubscribe');
    expect((await preview('grace@readers.example')).status).toBe(404);
    expect((await client.get(`/api/broadcasts/${id}/preview`)).body).toMatchObject({ subject: 'For' });
  });

  it('has no address of the unsubscribe page in its subject, not even in a preview', async () => {
    const subject = 'Stop: {{ unsubscribe_url }}';
    const refused = { status: 400, body: { details: [{ field: 'subject' }] } };
    expect(await client.post('/api/broadcasts', { ...draft, subject })).toMatchObject(refused);
    const id = await broadcasts.create();
    // As before this was refused.
    await service.database.query(
      'update messages set subject = $2 where id = (select message_id from broadcasts where id = $1)',
      [id, subject],
    );
    expect(await client.get(`/api/broadcasts/${id}/preview`)).toMatchObject(refused);
  });

  it('previews the email of a recipient whose domain is in another script', async () => {
    const id = await broadcasts.create({ subject: 'For {{ name }}' });
    await broadcasts.add(id, [{ to: 'Ada <ada@bücher.example>', variables: { name: 'Ada' } }]);
    for (const to of ['Ada <ada@bücher.example>', ' Ada@Bücher.example', 'ada@xn--bcher-kva.example']) {
      const preview = await client.get(`/api/broadcasts/${id}/preview?to=${encodeURIComponent(to)}`);
      expect({ to, ...preview }).toMatchObject({ to, status: 200, body: { subject: 'For Ada' } });
    }
  });

  it('lists its recipients by address, page by page', async () => {
    const id = await broadcasts.create();
    await client.post('/api/suppressions', { address: 'reader1@example.com' });
    await broadcasts.add(id, [...people(2), { to: 'Ada <ada@readers.example>', variables: { name: 'Ada' } }]);
    const first = await client.get<{ recipients: BroadcastRecipientView[] }>(
      `/api/broadcasts/${id}/recipients?limit=2`,
    );
    expect(first.body.recipients).toEqual([
      { to: 'Ada <ada@readers.example>', variables: { name: 'Ada' }, metadata: null, suppressed: false },
      { to: 'reader0@example.com', variables: null, metadata: null, suppressed: false },
    ]);
    const rest = await client.get<{ recipients: BroadcastRecipientView[] }>(nextPage(first.headers)!);
    expect(rest.body.recipients).toMatchObject([{ to: 'reader1@example.com', suppressed: true }]);
    expect(nextPage(rest.headers)).toBeUndefined();
  });
});
