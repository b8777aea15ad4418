import type { UploadResult } from '../../src/broadcasts/recipients/recipient-upload.js';
import { BroadcastClient } from '../support/broadcast-client.js';
import { TestService, type TestClient } from '../support/service.js';

/* JSON can write numbers that no double-precision number holds. They must not become other values without a word. */

const HUGE = '{"total":[{"amount":-1e400}]}';

let service: TestService;
let client: TestClient;

beforeAll(async () => {
  service = await TestService.start({ environment: { ROLES: 'api' } });
  client = await service.organization();
});
afterAll(() => service?.stop());

function post<Body>(path: string, body: string, type = 'application/json'): Promise<{ status: number; body: Body }> {
  return client.request<Body>(path, { method: 'POST', headers: { 'content-type': type }, body });
}

const problem = (field: string): RegExp => new RegExp(`^${field} must .*numbers beyond ±1.8e308$`);

it.each(['variables', 'metadata'])('are refused in the %s of an email', async (field) => {
  const email = { from: 'ada@acme.example', to: 'ann@example.com', subject: 'S', textContent: '{{ total[0].amount }}' };
  const { status, body } = await post<{ error: string }>(
    '/api/send',
    JSON.stringify({ ...email, [field]: 'HUGE' }).replace('"HUGE"', HUGE),
  );
  expect([status, body.error]).toEqual([400, expect.stringMatching(problem(field))]);
});

it('are refused in the variables of a preview', async () => {
  const { body } = await client.post('/api/templates', { name: 'T', subject: 'S', htmlContent: '<p>{{ total }}</p>' });
  const query = `variables=${encodeURIComponent(HUGE)}`;
  const { status, body: refused } = await client.get(`/api/templates/${String(body.id)}/preview?${query}`);
  expect([status, refused.error]).toEqual([400, expect.stringMatching(problem('variables'))]);
});

it('make a recipient of a broadcast invalid', async () => {
  const id = await new BroadcastClient(client).create();
  const lines = ['variables', 'metadata'].map((field) => `{"to":"ann@example.com","${field}":${HUGE}}`);
  const path = `/api/broadcasts/${id}/recipients`;
  for (const { status, body } of [
    await post<UploadResult>(path, `{"recipients":[${lines.join(',')}]}`),
    await post<UploadResult>(path, lines.join('\n'), 'application/x-ndjson'),
  ]) {
    expect([status, body.added, body.invalid.map(({ reason }) => reason)]).toEqual([
      200,
      0,
      [expect.stringMatching(problem('variables')), expect.stringMatching(problem('metadata'))],
    ]);
  }
});
