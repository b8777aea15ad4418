import type { BatchResponse } from '../../src/emails/accept/batch/batch-response.js';
import { TestService, type ApiResponse, type TestClient } from '../support/service.js';

const KEY = 'nightly';

let service: TestService;
let client: TestClient;

beforeAll(async () => {
  service = await TestService.start({ environment: { ROLES: 'api', RATE_LIMIT_PER_MINUTE: '0' } });
});
beforeEach(async () => void (client = await service.organization()));
afterAll(() => service?.stop());

function post(subject: string): Promise<ApiResponse<BatchResponse>> {
  const message = { from: 'ada@acme.example', to: 'reader@example.com', subject, htmlContent: '<p>x</p>' };
  return client.post<BatchResponse>('/api/send/batch', { emails: [message] }, { 'idempotency-key': KEY });
}

const isReplay = ({ headers }: ApiResponse<BatchResponse>): boolean => headers.get('idempotent-replayed') === 'true';

const age = (time: string): Promise<unknown> =>
  service.database.query('update idempotency_keys set created_at = now() - $2::interval where organization_id = $1', [
    client.organizationId,
    time,
  ]);

it('the key of a batch stands for its messages for 24 hours', async () => {
  const first = await post('Monday');
  await age('23 hours 59 minutes');
  const again = await post('Monday');
  expect([isReplay(again), again.body]).toEqual([true, first.body]);
  expect((await post('Tuesday')).status).toBe(422);
});

it('after 24 hours, the key of a batch stands for the next messages, of which simultaneous requests send one', async () => {
  const first = await post('Monday');
  await age('24 hours 1 second');
  const others = await Promise.all([post('Tuesday'), post('Tuesday'), post('Tuesday')]);
  expect(others.map(({ status }) => status)).toEqual([202, 202, 202]);
  expect(others.filter((response) => !isReplay(response))).toHaveLength(1);
  for (const { body } of others) expect(body).toEqual(others[0]!.body);
  expect(others[0]!.body).not.toEqual(first.body);
  const later = await post('Tuesday');
  expect([isReplay(later), later.body]).toEqual([true, others[0]!.body]);
  expect((await post('Monday')).status).toBe(422);
});
