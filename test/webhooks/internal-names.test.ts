import { promises as dns } from 'node:dns';
import { jest } from '@jest/globals';
import { WebhookBench } from './webhook-bench.js';

/** As in a network whose own name servers know its databases, and with a name of the attacker that leads to one. */
const ADDRESSES: Readonly<Record<string, readonly string[]>> = {
  'db.internal.example': ['10.0.0.5'],
  'alias.attacker.example': ['10.0.0.5'],
};
const UNKNOWN = ['none.internal.example', 'unknown.attacker.example'];

let bench: WebhookBench;

beforeAll(async () => {
  jest.spyOn(dns.Resolver.prototype, 'resolve4').mockImplementation(((name: string) => {
    const found = ADDRESSES[name];
    return found ? Promise.resolve(found) : Promise.reject(Object.assign(new Error(), { code: 'ENOTFOUND' }));
  }) as never);
  jest.spyOn(dns.Resolver.prototype, 'resolve6').mockRejectedValue(Object.assign(new Error(), { code: 'ENODATA' }));
  bench = await WebhookBench.start({
    environment: { WEBHOOK_ALLOW_PRIVATE_ADDRESSES: 'false', WEBHOOK_VERIFY_OWNERSHIP: 'public' },
  });
});
afterAll(async () => {
  jest.restoreAllMocks();
  await bench?.stop();
});

const urls = [...Object.keys(ADDRESSES), ...UNKNOWN].map((name) => `https://${name}/`);

it('a webhook with an internal name is refused as one with an unknown name', async () => {
  const refusals: unknown[] = [];
  for (const url of urls) {
    const { status, body } = await bench.client.post('/api/webhooks', { url });
    refusals.push({ status, body });
  }
  expect(refusals[0]).toMatchObject({ status: 400, body: { details: [{ field: 'url' }] } });
  expect(refusals).toEqual(urls.map(() => refusals[0]));
});

it('an attempt at an internal name fails as one at an unknown name', async () => {
  for (const url of urls) await bench.write(await bench.endpoint(url), 1);
  await bench.sweep();
  const rows = await bench.service.database.query<{ error: string }>('select error from webhook_attempts');
  expect(rows).toHaveLength(urls.length);
  expect(rows[0]!.error).toMatch(
    /^Not called: the address must lead to a public address: its name has none, or a private/,
  );
  expect(rows).toEqual(urls.map(() => rows[0]));
});
