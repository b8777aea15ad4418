import { get as httpGet } from 'node:http';
import { reportOf } from '../../emails/recipients/reported-mail.js';
import { BroadcastClient } from '../../support/broadcast-client.js';
import { eventually } from '../../support/eventually.js';
import { ErasureBench } from './erasure-bench.js';

interface Whole {
  readonly emails: readonly { readonly reports: readonly object[] }[];
  readonly events: readonly { readonly type: string; readonly link: string | null }[];
}

let bench: ErasureBench;
const jane = 'jane@example.com';

beforeAll(async () => void (bench = await ErasureBench.start()));
afterAll(() => bench?.stop());

const status = async (path: string, client = bench.client): Promise<number> => (await client.get(path)).status;
const pathOf = (address: string): string => `/api/contacts/${encodeURIComponent(address)}`;

describe('GET /api/contacts/:email/export', () => {
  it('gives all of it as JSON, without the other recipients', async () => {
    await bench.send({ to: [jane, 'bob@example.com'], subject: 'Mine', metadata: { order: 7 } });
    const {
      status: found,
      headers,
      body,
    } = await bench.client.get<{ emails: object[]; contact: object }>(`${pathOf(jane)}/export`);
    expect(found).toBe(200);
    expect(headers.get('content-type')).toBe('application/json; charset=utf-8');
    expect(headers.get('content-disposition')).toBe('attachment; filename="contact.json"');
    expect(body.contact).toMatchObject({ email: jane, emails: 1 });
    expect(body.emails).toEqual([expect.objectContaining({ subject: 'Mine', to: [jane], metadata: { order: 7 } })]);
    expect(JSON.stringify(body)).not.toContain('bob@example.com');
    expect(await status(`${pathOf('nobody@example.com')}/export`)).toBe(404);
    expect(await status(`${pathOf(jane)}/export`, await bench.service.organization())).toBe(404);
  });

  it('has messages, timeline, reports, suppressions, and what waits in broadcasts', async () => {
    const ada = 'ada@example.com';
    const { client, service } = bench;
    await client.post('/api/webhooks', { url: 'http://127.0.0.1:9/', events: ['EMAIL_SENT'] });
    const { emailTrackingId, pixelUrl, links } = await bench.send({
      ...{ to: `Ada <${ada}>`, textContent: 'In plain words', headers: { 'X-User': '7' }, tags: ['spring'] },
      htmlContent: '<p>The engine <a href="https://shop.example/">Shop</a></p>',
      campaignId: 'Spring',
      attachments: [{ filename: 'invoice.txt', content: Buffer.from('1').toString('base64') }],
    });
    await bench.send({ to: 'bob@example.com', cc: [ada], subject: 'A copy' });
    await bench.append(reportOf((await bench.read(emailTrackingId)).id, ada, 'delivered'));
    await service.track(pixelUrl);
    await service.track(links[0]!.trackingUrl);
    const broadcasts = new BroadcastClient(client);
    await broadcasts.add(await broadcasts.create(), [{ to: ada, variables: { name: 'Ada' } }]);
    await client.post('/api/suppressions', { address: ada, note: 'asked by phone' });
    const whole = async () => (await client.get<Whole>(`${pathOf(ada)}/export`)).body;
    const body = await eventually(async () => {
      const found = await whole();
      return found.events.length === 3 && found.emails[0]!.reports.length === 1 && found;
    });
    expect(body).toMatchObject({
      contact: { email: ada, campaigns: ['Spring'] },
      suppressions: [{ address: ada, reason: 'manual', note: 'asked by phone' }],
      broadcasts: [{ address: ada, variables: { name: 'Ada' } }],
      emails: [
        {
          ...{ status: 'sent', campaign: 'Spring', tags: ['spring'], to: [`Ada <${ada}>`], text: 'In plain words' },
          ...{ html: expect.stringContaining('The engine'), headers: { 'X-User': '7' }, subject: 'The engine' },
          ...{ links: ['https://shop.example/'], attachments: [{ filename: 'invoice.txt', size: 1 }] },
          ...{ reports: [{ type: 'delivered' }], webhooks: [{ type: 'EMAIL_SENT' }] },
        },
        { subject: 'A copy', to: [], cc: [ada] },
      ],
    });
    // Times as in all responses: in UTC with milliseconds.
    const times = JSON.stringify(body).match(/"\d{4}-\d\d-\d\dT[^"]*"/g) ?? [];
    expect(times.length).toBeGreaterThan(8);
    for (const time of times) expect(time).toMatch(/T\d\d:\d\d:\d\d\.\d{3}Z"$/);
    const events = body.events.map(({ type, link }) => ({ type, link }));
    for (const [type, link] of [
      ['sent', null],
      ['opened', null],
      ['clicked', 'https://shop.example/'],
    ])
      expect(events).toContainEqual({ type, link });
  });

  it('has the words with which a server refused the person, and what caused each open and click', async () => {
    const [carl, dora] = ['carl@example.com', 'dora@example.com'];
    bench.service.mailServer.scripts.add(carl, { phase: 'rcpt', reply: '550 5.7.1 No mail for Carl' });
    const { pixelUrl } = await bench.send({ to: [carl, dora] });
    await bench.service.track(pixelUrl, { headers: { 'user-agent': 'curl/8.0' } });
    const ofDora = await eventually(async () => {
      const { body } = await bench.client.get<Whole>(`${pathOf(dora)}/export`);
      return body.events.length === 2 && body;
    });
    const verdict = { class: 'bot', reason: 'user-agent:http-library', certainty: 'certain' };
    expect(ofDora.events.toSorted((one, other) => (one.type < other.type ? -1 : 1))).toEqual([
      { type: 'opened', emailId: expect.any(String), occurredAt: expect.any(String), link: null, ...verdict },
      { type: 'sent', emailId: expect.any(String), occurredAt: expect.any(String), link: null },
    ]);
    const { body: ofCarl } = await bench.client.get<Whole>(`${pathOf(carl)}/export`);
    expect(ofCarl.emails).toMatchObject([
      { delivery: { result: 'refused', reason: expect.stringContaining('No mail for Carl'), smtpStatus: '5.7.1' } },
    ]);
    expect(JSON.stringify(ofDora)).not.toMatch(/carl/i);
  });

  it('has each event once, oldest first, also if many have the same time', async () => {
    const mary = 'mary@example.com';
    await bench.send({ to: mary });
    await bench.service.database.query(
      `insert into events (id, ordinal, occurred_at, type, email_id, contact_id)
       select gen_random_uuid(), 1, now() - interval '1 hour' + n % 2 * interval '1 minute', 'opened', e.email_id, e.contact_id
         from contacts c join contact_emails e on e.contact_id = c.id, generate_series(1, 12000) n where c.address_key = $1`,
      [mary],
    );
    const { body } = await bench.client.get<{ events: { occurredAt: string; type: string }[] }>(
      `${pathOf(mary)}/export`,
    );
    const times = body.events.filter(({ type }) => type === 'opened').map(({ occurredAt }) => Date.parse(occurredAt));
    expect(times).toHaveLength(12_000);
    expect(times).toEqual(times.toSorted((a, b) => a - b));
  });

  it('runs once at a time per organization, until its reader has it or is gone', async () => {
    const eve = 'eve@example.com';
    for (let n = 0; n < 20; n++) await bench.send({ to: eve, textContent: 'x'.repeat(1_000_000) });
    const { hostname, port } = new URL(bench.service.address);
    const headers = { 'x-api-key': bench.client.apiKey };
    const reading = httpGet({ hostname, port, path: `${pathOf(eve)}/export`, headers });
    reading.on('error', () => undefined);
    await new Promise((resolve) => reading.once('response', resolve));
    const second = await bench.client.get<{ error: string }>(`${pathOf(jane)}/export`);
    expect(second.status).toBe(429);
    expect(second.headers.get('retry-after')).toBe('5');
    reading.destroy();
    await eventually(async () => (await status(`${pathOf(jane)}/export`)) === 200);
  });
});
