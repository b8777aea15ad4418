import type { BatchResponse } from '../../src/emails/accept/batch/batch-response.js';
import { TestService, type ApiResponse, type TestClient } from '../support/service.js';

const MEGABYTE = 1024 * 1024;
const ROUNDS = 80;
const EMAIL_BYTES = ROUNDS * (60_000 + '<p></p>'.length);

/** Nothing is stored for it: a busy machine may take longer for 30 MB than a statement may take. */
const SUPPRESSED = 'suppressed@example.com';

let service: TestService;
let client: TestClient;
let templateId: string;

beforeAll(async () => {
  service = await TestService.start({
    environment: { ROLES: 'api', RATE_LIMIT_PER_MINUTE: '0', REQUEST_BODIES_MB: '64' },
  });
  client = await service.organization();
  const htmlContent = `{% for round in (1..${ROUNDS}) %}<p>${'x'.repeat(60_000)}</p>{% endfor %}`;
  const { body } = await client.post<{ id: string }>('/api/templates', { name: 'Long', subject: 'Long', htmlContent });
  templateId = body.id;
  await client.post('/api/suppressions', { address: SUPPRESSED, reason: 'manual' });
});
afterAll(() => service?.stop());

const message = (): object => ({ from: 'ada@acme.example', to: SUPPRESSED, templateId, variables: {} });

const sendBatch = (messages: number, others: object[] = []): Promise<ApiResponse<BatchResponse>> =>
  client.post('/api/send/batch', { emails: [...others, ...Array.from({ length: messages }, message)] });

/** 2 KB of such messages would become 96 MB. */
it('accepts messages of a batch until their variables have made 30 MB of them', async () => {
  const small = { from: 'ada@acme.example', to: 'reader@example.com', subject: 'Short', htmlContent: '<p>Short</p>' };
  const { status, body } = await sendBatch(20, [small]);
  const fitting = Math.floor((30 * MEGABYTE) / EMAIL_BYTES);
  const suppressed = expect.objectContaining({ error: 'Every address in to is suppressed' });
  const tooLarge = {
    error: expect.stringMatching(/^With this message the batch has more than 30 MB of HTML, text and metadata/),
  };
  const emails = Array.from({ length: 20 }, (_, index) => (index < fitting ? suppressed : tooLarge));
  const accepted = expect.objectContaining({ id: expect.any(String), status: 'queued' });
  expect({ status, body }).toEqual({ status: 202, body: { emails: [accepted, ...emails] } });
});

/** Documents that the rendering threads have filled in. */
async function rendered(): Promise<number> {
  const tasks = await service.metrics.getSingleMetric('mailbeacon_rendering_tasks_total')!.get();
  return tasks.values.reduce((sum, { value }) => sum + value, 0);
}

it('fills in no more messages once those that did not fit have 30 MB, too', async () => {
  const [fitting, before] = [Math.floor((30 * MEGABYTE) / EMAIL_BYTES), await rendered()];
  const { body } = await sendBatch(100);
  expect(body.emails.filter((entry) => 'error' in entry && entry.error.startsWith('With this'))).toHaveLength(
    100 - fitting,
  );
  expect((await rendered()) - before).toBe(2 * fitting + 1);
});

it('counts what variables make against the memory of request bodies, which no organization may use up', async () => {
  const responses = await Promise.all(Array.from({ length: 4 }, () => sendBatch(6)));
  const statuses = responses.map(({ status }) => status);
  expect(statuses).toContain(202);
  expect(statuses.filter((status) => status !== 202)).toContain(429);
  expect(new Set(statuses)).toEqual(new Set([202, 429]));
  expect(responses.find(({ status }) => status === 429)?.headers.get('retry-after')).toBe('1');
  expect((await sendBatch(6)).status).toBe(202);
});
