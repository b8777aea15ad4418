import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { eventually } from '../support/eventually.js';
import { TestService } from '../support/service.js';
import { EventWebhookKey, SENDGRID_EVENTS_PATH } from '../support/signed-calls.js';

const MEGABYTE = 1024 * 1024;
const key = new EventWebhookKey();
let service: TestService;

beforeAll(async () => {
  service = await TestService.start({
    environment: { ROLES: 'api', REQUEST_BODIES_MB: '24', SENDGRID_EVENT_PUBLIC_KEY: key.publicKey },
  });
});
afterAll(() => service?.stop());

const held = async (): Promise<number> => {
  const text = await service.metrics.getSingleMetricAsString('mailbeacon_http_body_bytes');
  return Number(/kind="held"\} (\d+)/.exec(text)![1]);
};

/** Starts a call that SendGrid did not sign, and never ends it. Resolves once its bytes are held or refused. */
async function forgedCall(localAddress: string, bytes: number): Promise<Socket> {
  const socket = connect({ port: service.settings.PORT, host: '127.0.0.1', localAddress });
  let response = '';
  socket.on('data', (data: Buffer) => (response += data.toString('latin1'))).on('error', () => {});
  await once(socket, 'connect');
  const fields = Object.entries(new EventWebhookKey().sign('')).map(([name, value]) => `${name}: ${value}\r\n`);
  const heldBefore = await held();
  socket.write(`POST ${SENDGRID_EVENTS_PATH} HTTP/1.1\r\nhost: x\r\n${fields.join('')}`);
  socket.write(`content-length: ${10 * MEGABYTE}\r\n\r\n[${' '.repeat(bytes)}`);
  await eventually(async () => response !== '' || (await held()) > heldBefore + bytes);
  return socket;
}

it('the service reserves memory for organizations, even if many addresses forge calls of a provider', async () => {
  const client = await service.organization();
  const sockets: Socket[] = [];
  for (const address of ['127.0.0.2', '127.0.0.3', '127.0.0.4'])
    sockets.push(await forgedCall(address, 7.5 * MEGABYTE));
  const { status } = await client.post('/api/emails', {
    ...{ to: 'a@example.com', subject: 'S', htmlContent: 'x'.repeat(5 * MEGABYTE) },
  });
  for (const socket of sockets) socket.destroy();
  expect(status).toBe(200);
  await eventually(async () => (await held()) === 0);
});
