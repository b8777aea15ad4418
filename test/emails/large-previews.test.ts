import { TestService, type TestClient } from '../support/service.js';

let service: TestService;
let client: TestClient;

beforeAll(async () => {
  service = await TestService.start({ environment: { ROLES: 'api' } });
  client = await service.organization();
});
afterAll(() => service?.stop());

/** Its scan takes long enough to hold up the event loop, and with it everybody else. */
const htmlContent = '<a href="https://example.com/a">x</a>'.repeat(2_000);

/** Documents that the rendering threads have finished. */
async function tasks(): Promise<number> {
  const text = await service.metrics.getSingleMetricAsString('mailbeacon_rendering_tasks_total');
  return Number(/outcome="done"\} (\d+)/.exec(text)![1]);
}

async function tasksOf(path: string): Promise<number> {
  const before = await tasks();
  expect((await client.get(path)).status).toBe(200);
  return (await tasks()) - before;
}

it('scans a large email for its preview and its click map in a rendering thread', async () => {
  const email = { to: 'reader@example.com', subject: 'S', campaignId: 'Spring' };
  const { body } = await client.post('/api/emails', { ...email, htmlContent });
  expect(await tasksOf(`/api/emails/${String(body.id)}/preview`)).toBe(1);
  expect(await tasksOf(`/api/emails/${String(body.id)}/click-map`)).toBe(1);
  const { body: lists } = await client.get<{ campaigns: { id: string }[] }>('/api/campaigns');
  expect(await tasksOf(`/api/campaigns/${lists.campaigns[0]!.id}/click-map`)).toBe(1);
});

it('scans a large template after it was rendered, also in a thread', async () => {
  const { body } = await client.post('/api/templates', { name: 'T', subject: 'S', htmlContent });
  expect(await tasksOf(`/api/templates/${String(body.id)}/preview`)).toBe(2);
});

it('returns the same as for a small email', async () => {
  const email = { to: 'reader@example.com', subject: 'S', htmlContent };
  const { body } = await client.post('/api/emails', email);
  const { body: html } = await client.get<string>(`/api/emails/${String(body.id)}/preview`);
  expect(html).toBe('<a href="#">x</a>'.repeat(2_000));
  const { body: map } = await client.get<{ links: object[]; html: string }>(`/api/emails/${String(body.id)}/click-map`);
  expect(map.links).toHaveLength(1_000);
  expect(map.html.slice(0, 40)).toBe('<a href="#link-0">x</a><a href="#link-1"');
});
