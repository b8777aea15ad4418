import { randomBytes } from 'node:crypto';
import type { UsageView } from '../../src/organizations/budgets/usage.js';
import { StorageMeasurements } from '../../src/organizations/budgets/measure-storage.js';
import { draft } from '../support/broadcast-client.js';
import { TestService, type TestClient } from '../support/service.js';

const LIMIT = 1_000_000;
const environment = { ROLES: 'api', BUDGET_STORED_BYTES: `free=${LIMIT}` };

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
const email = (length: number) => ({
  from: 'a@acme.example',
  to: 'ada@example.com',
  subject: 'S',
  htmlContent: text(length),
});
const send = (fields: object, by = client) =>
  by.post<{ error?: string }>('/api/send', fields, { prefer: 'respond-async' });
const used = async () => (await client.get<UsageView>('/api/usage')).body.budgets.storedBytes.used;
const file = (size: number) => ({
  filename: 'a.pdf',
  contentType: 'application/pdf',
  content: randomBytes(size).toString('base64'),
});

describe('Budgets per plan: stored bytes', () => {
  it('Beyond: 403 that says which budget, with two processes at the same time', async () => {
    const atSecond = secondProcess.client(client.organizationId, client.apiKey);
    const sent = await Promise.all(
      Array.from({ length: 16 }, (_, n) => send(email(100_000), n % 2 === 0 ? client : atSecond)),
    );
    const accepted = sent.filter(({ status }) => status === 202).length;
    expect(accepted).toBeLessThanOrEqual(10);
    // Each process may hold back one percent of what is left.
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
    expect(await used()).toBe(25_000 + draft.htmlContent.length);
    const variables = { text: text(8_000) };
    await client.post(`/api/broadcasts/${body.id}/recipients`, { recipients: [{ to: 'a@example.com', variables }] });
    expect(await used()).toBe(25_000 + draft.htmlContent.length + JSON.stringify(variables).length);
  });

  it('all routes that store refuse beyond it, and what is refused stores nothing', async () => {
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

  it('a daily measurement gives back what was deleted', async () => {
    await send({ ...email(10_000), attachments: [file(30_000)] });
    await send(email(10_000));
    await client.post('/api/templates', { ...email(1_000), name: 'T' });
    const { body } = await client.post<{ id: string }>('/api/broadcasts', draft);
    expect(await used()).toBe(51_000 + draft.htmlContent.length);
    const measurements = new StorageMeasurements(service.database);
    const measured = async () => {
      await service.database.query('update budget_usage set measured_at = null');
      await measurements.run();
      return used();
    };
    expect(await measured()).toBe(51_000 + draft.htmlContent.length);
    await client.delete(`/api/broadcasts/${body.id}`);
    await service.database.query(
      `delete from email_contents c using emails e where e.id = c.email_id and e.organization_id = $1`,
      [client.organizationId],
    );
    expect(await used()).toBe(51_000 + draft.htmlContent.length);
    expect(await measured()).toBe(31_000);
  });
});
