import type { ServerResponse } from 'node:http';
import { MAX_IDLE_CONNECTIONS } from '../../../src/platform/outbound-http/idle-connections.js';
import { GuardedHttp } from '../../../src/platform/outbound-http/guarded-http.js';
import { withinASecond } from '../../support/eventually.js';
import { WebhookReceiver } from '../../support/webhook-receiver.js';

const CALLS = MAX_IDLE_CONNECTIONS + 50;

let receiver: WebhookReceiver;
let http: GuardedHttp;
beforeEach(async () => {
  receiver = await WebhookReceiver.listen();
  const policy = { allowPrivateAddresses: true, allowHttp: true, ownHost: 'track.example.com' };
  http = new GuardedHttp(policy, () => Promise.resolve(['127.0.0.1']));
});
afterEach(async () => {
  http.close();
  await receiver.stop();
});

it('requests to many hosts leave a limited number of connections open, and use those again', async () => {
  const call = (host: number) => {
    const url = `http://host-${host}.example:${new URL(receiver.url).port}/`;
    return http.post({ url, headers: {}, body: '{}', deadlineMs: 10_000, keepBytes: 10 });
  };
  await call(0);
  for (let host = 0; host < CALLS; host++) expect((await call(host)).status).toBe(204);
  expect(receiver.connections).toBe(CALLS);
  await withinASecond(() => receiver.openConnections <= MAX_IDLE_CONNECTIONS);
});

it('opens a new connection when the server closes one that is reused, although others are idle', async () => {
  const call = () => http.post({ url: receiver.url, headers: {}, body: '{}', deadlineMs: 10_000, keepBytes: 10 });
  const held: ServerResponse[] = [];
  receiver.respond = (response) => {
    held.push(response);
    if (held.length === 2) for (const one of held) one.writeHead(204).end();
  };
  await Promise.all([call(), call()]);
  expect(receiver.connections).toBe(2);
  receiver.respond = (response) => {
    if (receiver.connections === 2) response.socket!.destroy();
    else response.writeHead(204).end();
  };
  expect((await call()).status).toBe(204);
  expect(receiver.connections).toBe(3);
});
