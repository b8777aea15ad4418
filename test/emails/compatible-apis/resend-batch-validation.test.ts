import { Resend } from 'resend';
import { TestService, type TestClient } from '../../support/service.js';

let service: TestService;
let client: TestClient;
let resend: Resend;

beforeAll(async () => {
  service = await TestService.start();
});
beforeEach(async () => {
  client = await service.organization();
  resend = new Resend(client.apiKey, { baseUrl: service.address });
});
afterAll(() => service?.stop());

const message = (to: string) => ({ from: 'Ada <ada@acme.example>', to, subject: 'The engine', text: 'Hello' });

const REFUSED = { statusCode: 422, name: 'invalid_idempotent_request' };

describe('the Idempotency-Key of a batch with another validation', () => {
  it('does not repeat a permissive batch as a strict one, whose response would name fewer emails', async () => {
    const batch = [message('reader@example.com'), message('nobody')];
    const options = { idempotencyKey: 'mixed', batchValidation: 'permissive' } as const;
    const first = await resend.batch.send(batch, options);
    expect((await resend.batch.send(batch, options)).data).toEqual(first.data);
    expect((await resend.batch.send(batch, { idempotencyKey: 'mixed' })).error).toMatchObject(REFUSED);
  });

  it('does not repeat a strict batch of one email as a permissive one', async () => {
    const batch = [message('reader@example.com')];
    await resend.batch.send(batch, { idempotencyKey: 'one' });
    const permissive = await resend.batch.send(batch, { idempotencyKey: 'one', batchValidation: 'permissive' });
    expect(permissive.error).toMatchObject(REFUSED);
    expect((await client.get<{ emails: unknown[] }>('/api/emails')).body.emails).toHaveLength(1);
  });
});

it('a long name of an unknown field is cut in the error, which is stored with the Idempotency-Key', async () => {
  const name = 'x'.repeat(1_000_000);
  const batch = [message('reader@example.com'), { ...message('reader@example.com'), [name]: 'y' }];
  // The library leaves out what it does not know.
  const headers = { 'x-batch-validation': 'permissive', 'idempotency-key': 'long' };
  const { body } = await client.post('/emails/batch', batch, { ...headers, authorization: `Bearer ${client.apiKey}` });
  expect(body).toMatchObject({ errors: [{ index: 1, message: `${'x'.repeat(100)}… is not supported` }] });
  const [stored] = await service.database.query<{ length: number }>(
    'select length(response::text) from idempotency_keys where organization_id = $1',
    [client.organizationId],
  );
  expect(stored!.length).toBeLessThan(1_000);
});
