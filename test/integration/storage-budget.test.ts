import { randomBytes } from 'node:crypto';
import type { UsageView } from '../../src/organizations/budgets/usage.js';
import { ROW_BYTES } from '../../src/organizations/budgets/budget.js';
import { StorageMeasurements } from '../../src/organizations/budgets/measure-storage.js';
import { draft } from '../support/broadcast-client.js';
import { TestService, type TestClient } from '../support/service.js';

const LIMIT = 1_000_000;
const environment = {
  ...{ ROLES: 'api', BUDGET_STORED_BYTES: `free=${LIMIT}`, WEBHOOK_ALLOW_PRIVATE_ADDRESSES: 'true' },
  WEBHOOK_ALLOW_HTTP: 'true',
};

let service: TestService;
let secondProcess: TestService;
let client: TestClient;

beforeAll(async () => {
  service = await TestService.start({ environment });
  secondProcess = await TestService.start({ beside: service, environment });
});
beforeEach(async () => {
  client = await service.organization('free');
});
afterAll(async () => {
  await secondProcess?.stop();
  await service?.stop();
});

const text = (length: number) => randomBytes(length / 2).toString('hex');
/** Of so many bytes with its subject. */
const email = (length: number) => ({
  from: 'a@acme.example',
  to: 'ada@example.com',
  subject: 'S',
  htmlContent: text(length).slice(1),
});
const draftBytes = draft.subject.length + draft.htmlContent.length;
const send = (fields: object, by = client) =>
  by.post<{ error?: string }>('/api/send', fields, { prefer: 'respond-async' });
const used = async () => (await client.get<UsageView>('/api/usage')).body.budgets.storedBytes.used;
const file = (size: number) => ({
  filename: 'a.pdf',
  contentType: 'application/pdf',
  content: randomBytes(size).toString('base64'),
});

describe('Budgets per plan: stored bytes', () => {
  it('Over the limit: 403 that names the budget, with two processes at the same time', async () => {
    const atSecond = secondProcess.client(client.organizationId, client.apiKey);
    const sent = await Promise.all(
      Array.from({ length: 16 }, (_, n) => send(email(100_000), n % 2 === 0 ? client : atSecond)),
    );
    expect(new Set(sent.map(({ status }) => status))).toEqual(new Set([202, 403]));
    const accepted = sent.filter(({ status }) => status === 202).length;
    expect(accepted).toBeLessThanOrEqual(10);
    // Each process may reserve one percent of the rest.
    expect(accepted).toBeGreaterThanOrEqual(9);
    expect(sent.find(({ status }) => status !== 202)).toMatchObject({
      status: 403,
      body: {
        error: `The budget of stored bytes is used up: the plan free allows ${LIMIT}, and it does not renew: delete something first`,
      },
    });
    expect((await send({ ...email(100_000), attachments: [file(100_000)] })).status).toBe(403);
  });

  it('counts content, attachments once, templates, messages of broadcasts and variables of recipients', async () => {
    await send(email(1_000));
    expect(await used()).toBe(1_000);
    const attachments = [file(20_000)];
    await send({ ...email(1_000), attachments });
    await send({ ...email(1_000), attachments });
    expect(await used()).toBe(23_000);
    await client.post('/api/emails', email(1_000));
    expect(await used()).toBe(24_000);
    expect((await client.post('/api/templates', { ...email(1_000), name: 'T' })).status).toBe(201);
    expect(await used()).toBe(25_000);
    const { body } = await client.post<{ id: string }>('/api/broadcasts', draft);
    expect(await used()).toBe(25_000 + draftBytes);
    const variables = { text: text(8_000) };
    await client.post(`/api/broadcasts/${body.id}/recipients`, { recipients: [{ to: 'a@example.com', variables }] });
    const recipient = ROW_BYTES + 'a@example.com'.length + JSON.stringify(variables).length;
    expect(await used()).toBe(25_000 + draftBytes + recipient);
  });

  it('counts addresses of suppression lists and of broadcasts, which have no other limit', async () => {
    const note = 'x'.repeat(1_000);
    const row = ROW_BYTES + 'r000@example.com'.length;
    const addresses = Array.from({ length: 500 }, (_, n) => `r${String(n).padStart(3, '0')}@example.com`);
    const suppress = (some: string[]) => client.post('/api/suppressions', { addresses: some, note });
    const upload = (type: string, path: string, lines: string[]) =>
      client.request(path, { method: 'POST', headers: { 'content-type': type }, body: lines.join('\n') });
    const load = (some: string[]) => upload('text/csv', '/api/suppressions/import', ['address', ...some]);

    expect((await suppress(addresses.slice(0, 100))).status).toBe(201);
    expect(await used()).toBe(100 * (row + note.length));
    expect((await load(addresses.slice(0, 200))).body).toMatchObject({ added: 100, known: 100 });
    expect(await used()).toBe(200 * row + 100 * note.length);
    const { body } = await client.post<{ id: string }>('/api/broadcasts', draft);
    const before = await used();
    const path = `/api/broadcasts/${body.id}/recipients`;
    const recipients = addresses.slice(200, 300).map((to) => JSON.stringify({ to }));
    expect((await upload('application/x-ndjson', path, recipients)).body).toMatchObject({ added: 100 });
    expect(await used()).toBe(before + 100 * row);
    expect((await upload('application/x-ndjson', path, recipients)).body).toMatchObject({ added: 0, repeated: 100 });
    expect(await used()).toBe(before + 100 * row);
    await service.database.query('update budget_usage set measured_at = null');
    await new StorageMeasurements(service.database).run(new AbortController().signal);
    expect(await used()).toBe(before + 100 * row);

    const rest = LIMIT - (await used()) - 20_000;
    expect((await send(email(rest - (rest % 2)))).status).toBe(202);
    expect((await suppress(addresses.slice(300, 400))).status).toBe(403);
    expect((await load(addresses.slice(300))).status).toBe(403);
    expect(
      (
        await upload(
          'application/x-ndjson',
          path,
          addresses.map((to) => JSON.stringify({ to })),
        )
      ).status,
    ).toBe(403);
    expect(await used()).toBeLessThanOrEqual(LIMIT);
  });

  it('all routes that store data refuse it over the limit, and a refused request stores nothing', async () => {
    const { body } = await client.post<{ id: string }>('/api/broadcasts', draft);
    for (let n = 0; n < 9; n++) await send(email(100_000));
    for (let n = 0; n < 9; n++) await send(email(10_000));
    const recipients = Array.from({ length: 5 }, (_, n) => ({
      to: `r${n}@example.com`,
      variables: { text: text(9_000) },
    }));
    const large = email(50_000);
    expect((await client.post('/api/emails', large)).status).toBe(403);
    expect((await client.post('/api/send/batch', { emails: [large] })).status).toBe(403);
    expect((await client.post('/api/templates', { ...large, name: 'T' })).status).toBe(403);
    expect((await client.post('/api/broadcasts', { ...draft, htmlContent: large.htmlContent })).status).toBe(403);
    expect((await client.post(`/api/broadcasts/${body.id}/recipients`, { recipients })).status).toBe(403);
    expect(await used()).toBeLessThanOrEqual(LIMIT);
    const [stored] = await service.database.query<{ templates: number; recipients: string }>(
      `select (select count(*)::integer from templates where organization_id = $1) as templates,
              (select sum(recipients) from broadcasts where organization_id = $1) as recipients`,
      [client.organizationId],
    );
    expect(stored).toEqual({ templates: 0, recipients: '0' });
  });

  it('Warnings at 80 %: webhook BUDGET_WARNING', async () => {
    await client.post('/api/webhooks', { url: 'http://127.0.0.1:9/', events: ['BUDGET_WARNING'] });
    const warnings = async () => {
      const rows = await service.database.query<{ body: string }>(
        `select d.body from webhook_deliveries d join webhook_endpoints w on w.id = d.endpoint_id
          where w.organization_id = $1`,
        [client.organizationId],
      );
      return rows.map(({ body }) => (JSON.parse(body) as { data: object }).data);
    };
    for (let n = 0; n < 7; n++) await send(email(100_000));
    expect(await warnings()).toEqual([]);
    for (let n = 0; n < 3; n++) await send(email(100_000));
    expect(await warnings()).toMatchObject([{ budget: 'storedBytes', limit: LIMIT, renewsAt: null }]);
  });

  it('a daily measurement releases the bytes of deleted data', async () => {
    await send({ ...email(10_000), attachments: [file(30_000)] });
    await send(email(10_000));
    await client.post('/api/templates', { ...email(1_000), name: 'T' });
    const { body } = await client.post<{ id: string }>('/api/broadcasts', draft);
    expect(await used()).toBe(51_000 + draftBytes);
    const measurements = new StorageMeasurements(service.database);
    const measured = async () => {
      await service.database.query('update budget_usage set measured_at = null');
      await measurements.run(new AbortController().signal);
      return used();
    };
    expect(await measured()).toBe(51_000 + draftBytes);
    await client.delete(`/api/broadcasts/${body.id}`);
    await service.database.query(
      `delete from email_contents c using emails e where e.id = c.email_id and e.organization_id = $1`,
      [client.organizationId],
    );
    expect(await used()).toBe(51_000 + draftBytes);
    expect(await measured()).toBe(31_000);
  });

  it('an organization that cannot be measured does not prevent measuring the others', async () => {
    const { database } = service;
    await database.query('update budget_usage set measured_at = now()');
    const others = [client, await service.organization('free'), await service.organization('free')];
    for (const one of others) await send(email(1_000), one);
    const [, broken] = others;
    await database.query(
      `create function refuse() returns trigger language plpgsql as $$ begin raise 'too many rows'; end $$`,
    );
    await database.query(
      `create trigger refuse before update on budget_usage for each row
         when (new.organization_id = '${broken!.organizationId}') execute function refuse()`,
    );
    try {
      await expect(new StorageMeasurements(database).run(new AbortController().signal)).rejects.toThrow(
        'too many rows',
      );
    } finally {
      await database.query('drop function refuse cascade');
    }
    const rows = await database.query<{ id: string }>(
      `select organization_id as id from budget_usage where budget = 'storedBytes' and measured_at is null`,
    );
    expect(rows).toEqual([{ id: broken!.organizationId }]);
  });
});
