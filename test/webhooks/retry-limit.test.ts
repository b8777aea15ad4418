import { WebhookBench } from './webhook-bench.js';

const PER_MINUTE = 60;
/** A busy machine refuses requests of an organization that wait for their turn for five seconds. */
const AT_ONCE = 6;

let bench: WebhookBench;

beforeAll(async () => {
  bench = await WebhookBench.start({ environment: { ROLES: 'api,worker' } });
});
afterAll(() => bench?.stop());

it('retries of single deliveries have their own limit: 60 a minute for each webhook, then 429 with Retry-After', async () => {
  const [hook, other] = [await bench.webhook('http://127.0.0.1:9/'), await bench.webhook('http://127.0.0.1:9/')];
  await bench.send();
  const retry = async ({ id }: { readonly id: string }) => {
    const [delivery] = await bench.deliveries(id);
    return bench.client.post<{ error?: string }>(`/api/webhooks/${id}/deliveries/${delivery!.id}/retry`);
  };
  const begun = performance.now();
  const responses = [];
  while (responses.length < 3 * PER_MINUTE)
    responses.push(...(await Promise.all(Array.from({ length: AT_ONCE }, () => retry(hook)))));
  const refilled = Math.ceil((performance.now() - begun) / (60_000 / PER_MINUTE));
  const passed = responses.filter(({ status }) => status === 200);
  const refused = responses.filter(({ status }) => status === 429);
  expect(passed.length + refused.length).toBe(responses.length);
  expect(passed.length).toBeGreaterThanOrEqual(PER_MINUTE);
  expect(passed.length).toBeLessThanOrEqual(PER_MINUTE + refilled);
  for (const { body, headers } of refused) {
    expect(Number(headers.get('retry-after'))).toBeGreaterThanOrEqual(1);
    expect(body.error).toMatch(/^Deliveries of a webhook can be retried 60 times a minute/);
  }
  expect((await retry(other)).status).toBe(200);
});
