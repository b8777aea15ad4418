import { eventually } from '../support/eventually.js';
import { TestService } from '../support/service.js';
import { EventWebhookKey } from '../support/sendgrid-calls.js';
import { ForgedCall, heldBytes } from './forged-call.js';

const MEGABYTE = 1024 * 1024;
const key = new EventWebhookKey();

async function serve(
  environment: Record<string, string>,
  work: (service: TestService) => Promise<void>,
): Promise<void> {
  const service = await TestService.start({
    environment: { ROLES: 'api', SENDGRID_EVENT_PUBLIC_KEY: key.publicKey, ...environment },
  });
  await work(service).finally(() => service.stop());
}

it('the service reserves memory for organizations, even if many addresses forge calls of a provider', async () => {
  await serve({ REQUEST_BODIES_MB: '24' }, async (service) => {
    const client = await service.organization();
    const calls: ForgedCall[] = [];
    for (const localAddress of ['127.0.0.2', '127.0.0.3', '127.0.0.4'])
      calls.push(await ForgedCall.start(service, 7.5 * MEGABYTE, { localAddress }));
    const { status } = await client.post('/api/emails', {
      ...{ to: 'a@example.com', subject: 'S', htmlContent: 'x'.repeat(5 * MEGABYTE) },
    });
    for (const call of calls) call.end();
    expect(status).toBe(200);
    await eventually(async () => (await heldBytes(service)) === 0);
  });
});

it.each([
  ['client', '192.0.2.1', '192.0.2.1'],
  ['IPv6 network', '2001:db8::1', '2001:db8::2'],
])('one %s behind a proxy that uses up its share leaves others theirs', async (_, first, second) => {
  // All clients without a key may hold 40 MB, and those of one network the largest body, which takes 31 MB.
  await serve({ REQUEST_BODIES_MB: '80', TRUSTED_PROXIES: '127.0.0.0/8' }, async (service) => {
    const calls: ForgedCall[] = [];
    for (const [forwardedFor, megabytes] of [
      [first, 9.5],
      [first, 9.5],
      [first, 9.5],
      [second, 4],
      ['198.51.100.1', 4],
    ] as const)
      calls.push(await ForgedCall.start(service, megabytes * MEGABYTE, { localAddress: '127.0.0.1', forwardedFor }));
    const statuses = calls.map(({ status }) => status);
    for (const call of calls) call.end();
    expect(statuses).toEqual([undefined, undefined, undefined, 429, undefined]);
  });
});
