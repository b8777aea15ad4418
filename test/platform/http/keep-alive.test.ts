import { request } from 'node:http';
import { generateEmailTrackingId } from '../../../src/links/email-tracking-id.js';
import { loadSigningKeys } from '../../../src/links/signing-key-store.js';
import { TestService } from '../../support/service.js';

let service: TestService;
beforeAll(async () => {
  service = await TestService.start({ environment: { KEEP_ALIVE_TIMEOUT_MS: '123000' } });
});
afterAll(() => service?.stop());

/** The connection headers of the server: Node derives it from the time after which it closes an idle one. */
async function promised(address: string): Promise<string | undefined> {
  return new Promise((resolve, reject) => {
    const outgoing = request(address, { agent: false, headers: { connection: 'keep-alive' } }, (response) => {
      response.resume();
      resolve(response.headers['keep-alive'] as string | undefined);
    });
    outgoing.on('error', reject).end();
  });
}

it('idle connections of balancers stay open for the configured time, on every port and path', async () => {
  const keys = await loadSigningKeys(service.database);
  const pixel = `/api/t/o/${generateEmailTrackingId(keys, new Uint8Array(12))}`;
  for (const path of ['/health/live', '/api/contacts', pixel]) {
    expect([path, await promised(service.address + path)]).toEqual([path, 'timeout=123']);
  }
  expect(await promised(`${service.operatorAddress}/health/live`)).toBe('timeout=123');
});

it('by default they stay open longer than the minute after which balancers close them', async () => {
  const usual = await TestService.start({ environment: { ROLES: 'api' } });
  try {
    const seconds = Number((await promised(`${usual.address}/health/live`))?.replace('timeout=', ''));
    expect(seconds).toBeGreaterThan(60);
  } finally {
    await usual.stop();
  }
});
