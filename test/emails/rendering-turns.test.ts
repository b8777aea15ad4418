import { slowMjml } from '../rendering/slow-mjml.js';
import { eventually } from '../support/eventually.js';
import { TestService, type TestClient } from '../support/service.js';

let service: TestService;
let hostile: TestClient;
let neighbour: TestClient;

beforeAll(async () => {
  service = await TestService.start({ environment: { ROLES: 'api' } });
  [hostile, neighbour] = [await service.organization(), await service.organization()];
});
afterAll(() => service?.stop());

const email = (htmlContent: string) => ({ to: 'reader@example.com', subject: 'S', htmlContent });
const newsletter = (number: number) =>
  `<mjml><mj-body><mj-section><mj-column><mj-text>Hello ${number}</mj-text></mj-column></mj-section></mj-body></mjml>`;

/** Requests with documents that each take the maximum time, until they are aborted. */
class Flood {
  readonly statuses: number[] = [];
  private readonly leaving = new AbortController();
  private readonly requests: Promise<unknown>[];

  constructor(documents: number) {
    this.requests = Array.from({ length: documents }, async (_, number) => {
      const { signal } = this.leaving;
      const body = JSON.stringify(email(slowMjml(number)));
      const { status } = await hostile.request('/api/emails', {
        method: 'POST',
        body,
        signal,
        headers: { 'content-type': 'application/json' },
      });
      this.statuses.push(status);
    });
  }

  async leave(): Promise<void> {
    this.leaving.abort();
    await Promise.allSettled(this.requests);
  }
}

async function metric(name: string, labels = ''): Promise<number> {
  const text = await service.metrics.getSingleMetricAsString(`mailbeacon_rendering_${name}`);
  return Number(
    text
      .split('\n')
      .find((line) => line.startsWith(`mailbeacon_rendering_${name}${labels} `))
      ?.split(' ')[1],
  );
}
const tasks = (outcome: string) => metric('tasks_total', `{outcome="${outcome}"}`);

it('renders for one organization while twelve documents of another use all the rendering time', async () => {
  const flood = new Flood(12);
  await eventually(async () => (await metric('waiting')) > 8);
  for (let number = 0; number < 6; number++) {
    expect((await neighbour.post('/api/emails', email(newsletter(number)))).status).toBe(200);
  }
  // Run one after the other, each of them takes two seconds: the small document waited for few of them.
  expect(flood.statuses.length).toBeLessThan(9);
  await flood.leave();
});

it('drops the waiting document of a client that has disconnected', async () => {
  const before = await tasks('dropped');
  await eventually(async () => (await metric('waiting')) === 0);
  const flood = new Flood(6);
  await eventually(async () => (await metric('waiting')) >= 4);
  await flood.leave();
  expect((await hostile.post('/api/emails', email(newsletter(100)))).status).toBe(200);
  expect((await tasks('dropped')) - before).toBeGreaterThanOrEqual(4);
});

it('refuses a hundred-and-first waiting document of an organization, and does not affect others', async () => {
  const flood = new Flood(130);
  await eventually(() => flood.statuses.filter((status) => status === 429).length > 10);
  const { status, headers, body } = await hostile.post('/api/emails', email(newsletter(200)));
  expect({ status, retryAfter: headers.get('retry-after'), error: body.error }).toEqual({
    status: 429,
    retryAfter: '3',
    error: 'Too many documents of your organization wait to be rendered: please send fewer at once',
  });
  expect((await neighbour.post('/api/emails', email(newsletter(201)))).status).toBe(200);
  expect(await tasks('refused')).toBeGreaterThan(10);
  await flood.leave();
});
