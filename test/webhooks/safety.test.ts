import { pino } from 'pino';
import { eventually } from '../support/eventually.js';
import { WebhookReceiver } from '../support/webhook-receiver.js';
import type { WebhookWithSecret } from '../../src/webhooks/webhook-view.js';
import { SECOND, WebhookBench } from './webhook-bench.js';

let log = '';
let strict: WebhookBench;

beforeAll(async () => {
  const logger = pino({ level: 'trace' }, { write: (line: string) => void (log += line) });
  strict = await WebhookBench.start({ environment: { WEBHOOK_ALLOW_PRIVATE_ADDRESSES: 'false' }, logger });
});
afterAll(() => strict?.stop());

const create = (body: object) => strict.client.post<WebhookWithSecret>('/api/webhooks', body);

describe('W14, V09: a webhook may not reach an internal network', () => {
  const hosts = [
    ['127.0.0.1', '127.1', '0x7f.1', '2130706433', '017700000001', '①②⑦.⓪.⓪.①', '[::ffff:127.0.0.1]', '[::]', '0'],
    ['localhost', 'localhost.', 'a.localhost', '169.254.169.254', '[fd00:ec2::254]', '[64:ff9b::7f00:1]'],
    ['[2002:7f00:1::]', '[2001:0:7f00:1::]', '100.64.0.1', '198.18.0.1', '0.0.0.0', '10.1.2.3', '[::127.0.0.1]'],
  ].flat();

  it.each(hosts)('https://%s/ is refused when it is saved', async (host) => {
    const { status, body } = await create({ url: `https://${host}/` });
    expect({ status, body }).toMatchObject({
      status: 400,
      body: { error: 'url must not lead to a private, loopback, link-local or otherwise reserved address' },
    });
  });

  it.each([
    ['http://hooks.example.com/', 'url must start with https://'],
    ['ftp://hooks.example.com/', 'url must start with https://'],
    ['https://a:b@hooks.example.com/', 'url must not contain a user name or password'],
    ['https://hooks.example.com:25/', 'url must have port 443, 80, or one from 1024 up'],
    ['https://track.test/api/send', 'url must not lead to this service itself'],
    ['hooks.example.com', 'url must be an absolute address like https://'],
    ['https://', 'url must be an absolute address like https://'],
    [`https://hooks.example.com/${'x'.repeat(2048)}`, 'url must have at most 2048 characters'],
    [
      `https://hooks.example.com/${'語'.repeat(300)}`,
      'url must have at most 2048 characters when it is percent-encoded',
    ],
    ['https://hooks.example.com/\0', 'url must not contain NUL characters'],
  ])('%s: %s', async (url, sentence) => {
    const { status, body } = await create({ url });
    expect({ status, body }).toMatchObject({ status: 400, body: { error: expect.stringContaining(sentence) } });
    expect(body).toMatchObject({ details: [{ field: 'url' }] });
  });

  it('nor through a later change', async () => {
    const { body } = await create({ url: 'https://hooks.example.com/' });
    const response = await strict.patch(body.id, { url: 'https://[::1]/' });
    expect(response.status).toBe(400);
    expect(await strict.read(body.id)).toMatchObject({ url: 'https://hooks.example.com/' });
    await strict.client.delete(`/api/webhooks/${body.id}`);
  });

  it('gets no connection if its host resolves to an internal address: the attempt fails', async () => {
    const receiver = await WebhookReceiver.listen();
    const endpoint = await strict.endpoint(receiver.url.replace('http:', 'https:'));
    await strict.write(endpoint, 1);
    await strict.sweep();
    const rows = await strict.service.database.query('select status, error, answer from webhook_attempts');
    const error = expect.stringMatching(/^Not called: the address must not lead to a private/);
    expect(rows).toEqual([{ status: null, error, answer: null }]);
    expect(receiver.connections).toBe(0);
    await receiver.stop();
  });
});

describe('the request of a webhook', () => {
  it.each([
    [{}, 'url is required and must be a string'],
    [{ url: 7 }, 'url is required and must be a string'],
    [{ url: 'https://hooks.example.com/', events: [] }, 'events must be an array of one or more of EMAIL_SENT'],
    [{ url: 'https://hooks.example.com/', events: 'EMAIL_SENT' }, 'events must be an array'],
    [{ url: 'https://hooks.example.com/', events: ['EMAIL_SENT', 'NOPE'] }, 'events must be an array'],
  ])('%j: %s', async (request, sentence) => {
    const { status, body } = await create(request);
    expect({ status, body }).toMatchObject({ status: 400, body: { error: expect.stringContaining(sentence) } });
  });

  it('a change must change something', async () => {
    const { body } = await create({ url: 'https://hooks.example.com/' });
    for (const changes of [{}, { url: null }, { other: 1 }]) {
      expect((await strict.patch(body.id, changes)).status).toBe(400);
    }
    expect((await strict.patch(body.id, { enabled: 'no' })).status).toBe(400);
    const changed = await strict.patch(body.id, { events: ['EMAIL_FAILED', 'EMAIL_FAILED'] });
    expect(changed.body).toMatchObject({ events: ['EMAIL_FAILED'], enabled: true });
    await strict.client.delete(`/api/webhooks/${body.id}`);
  });

  it('an organization has ten webhooks at most, even with simultaneous requests', async () => {
    const client = await strict.service.organization();
    const requests = Array.from({ length: 14 }, () =>
      client.post('/api/webhooks', { url: 'https://hooks.example.com/' }),
    );
    const responses = await Promise.all(requests);
    expect(responses.filter(({ status }) => status === 201)).toHaveLength(10);
    expect(responses.find(({ status }) => status === 409)!.body).toEqual({
      error: 'An organization can have 10 webhooks: delete one first',
    });
    const { body } = await client.get<{ webhooks: { id: string }[] }>('/api/webhooks?limit=4');
    expect(body.webhooks).toHaveLength(4);
    await client.delete(`/api/webhooks/${body.webhooks[0]!.id}`);
    expect((await client.post('/api/webhooks', { url: 'https://hooks.example.com/' })).status).toBe(201);
  });
});

describe('V24: secrets', () => {
  it('are in no dump of the database, no list and no log', async () => {
    const { body: webhook } = await create({ url: 'https://hooks.example.com/?token=canary' });
    const { body: rotated } = await strict.client.post<WebhookWithSecret>(`/api/webhooks/${webhook.id}/rotate-secret`);
    const shown = [webhook.secret, rotated.secret].map((secret) => secret.slice('whsec_'.length));
    const forms = shown.flatMap((secret) => {
      const bytes = Buffer.from(secret, 'base64');
      return [secret, bytes.toString('hex'), bytes.toString('base64url')];
    });
    const lists = await Promise.all(
      ['', `/${webhook.id}`, `/${webhook.id}/deliveries`].map((path) => strict.client.get(`/api/webhooks${path}`)),
    );
    const texts = [await dump(), JSON.stringify(lists.map(({ body }) => body)), log];
    expect(texts[0]).toContain(webhook.id);
    for (const text of texts) {
      for (const form of forms) expect(text).not.toContain(form);
    }
    expect(log).not.toContain('token=canary');
    await strict.client.delete(`/api/webhooks/${webhook.id}`);
    const [deleted] = await strict.service.database.query(
      'select sealed_secret, sealed_previous_secret from webhook_endpoints where id = $1',
      [webhook.id],
    );
    expect(deleted).toEqual({ sealed_secret: null, sealed_previous_secret: null });
  });

  it('that cannot be decrypted hold their deliveries, which count no attempt', async () => {
    const endpoint = await strict.endpoint('https://hooks.example.com/');
    const stolen = await strict.endpoint('https://hooks.example.com/');
    await strict.service.database.query(
      `update webhook_endpoints set sealed_secret = (select sealed_secret from webhook_endpoints where id = $2) where id = $1`,
      [endpoint, stolen],
    );
    const [id] = await strict.write(endpoint, 1);
    await strict.sweep();
    const [row] = await strict.service.database.query<{ attempts: number; wait: number }>(
      `select attempts, lease_token, extract(epoch from paused_until - now())::int as wait
         from webhook_deliveries d join webhook_endpoints w on w.id = d.endpoint_id where d.id = $1`,
      [id],
    );
    expect(row).toMatchObject({ attempts: 0, lease_token: null });
    expect(row!.wait).toBeGreaterThan(200);
    expect(log).toContain('The secret of a webhook cannot be read');
  });
});

describe('operators', () => {
  it('see attempts, their duration, and how long deliveries are overdue', async () => {
    const metrics = async () => (await fetch(`${strict.service.operatorAddress}/metrics`)).text();
    expect(await metrics()).toMatch(/^mailbeacon_webhook_attempts_total\{outcome="refused"\} [1-9]/m);
    expect(await metrics()).toMatch(/^mailbeacon_webhook_seconds_count [1-9]/m);
    expect(await metrics()).toMatch(/^mailbeacon_webhook_overdue_seconds \d/m);
  });

  it('keep old deliveries for the configured time, and pending ones longer', async () => {
    const receiver = await strict.endpoint('https://hooks.example.com/');
    const disabled = await strict.endpoint('https://hooks.example.com/');
    await strict.service.database.query('update webhook_endpoints set enabled = false where id = $1', [disabled]);
    const days = (count: number) => Date.now() - count * 86_400 * SECOND;
    const kept = [
      await writeAged(receiver, days(29), 'delivered'),
      await writeAged(receiver, days(40), 'pending'),
      await writeAged(disabled, days(29), 'pending'),
    ];
    for (const status of ['delivered', 'failed']) await writeAged(receiver, days(31), status);
    await writeAged(disabled, days(31), 'pending');
    await strict.run('forget-webhook-deliveries');
    const left = await eventually(async () => {
      const rows = await strict.service.database.query<{ id: string }>(
        'select id from webhook_deliveries where endpoint_id = any($1)',
        [[receiver, disabled]],
      );
      return rows.length === 3 && rows.map(({ id }) => id);
    });
    expect(new Set(left)).toEqual(new Set(kept));
  });

  async function writeAged(endpoint: string, at: number, status: string): Promise<string> {
    const time = at.toString(16).padStart(12, '0');
    const [row] = await strict.service.database.query<{ id: string }>(
      `insert into webhook_deliveries (id, endpoint_id, type, body, status, next_attempt_at)
       values (overlay(gen_random_uuid()::text placing $3 from 1 for 13)::uuid, $1, 'EMAIL_SENT', '{}', $2, now() + interval '1 day')
       returning id`,
      [endpoint, status, `${time.slice(0, 8)}-${time.slice(8)}`],
    );
    return row!.id;
  }
});

/** Every row of every table as text. */
async function dump(): Promise<string> {
  const { database } = strict.service;
  const tables = await database.query<{ name: string }>(
    `select relname as name from pg_class
      where relnamespace = current_schema()::regnamespace and relkind = 'r' order by 1`,
  );
  const texts = tables.map(async ({ name }) => {
    const rows = await database.query<{ row: string }>(`select t::text as row from ${name} t`);
    return rows.map(({ row }) => row).join('\n');
  });
  return (await Promise.all(texts)).join('\n');
}
