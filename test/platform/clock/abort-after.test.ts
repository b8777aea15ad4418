import { once } from 'node:events';
import { connect, createServer, type AddressInfo, type Server, type Socket } from 'node:net';
import { abortAfter } from '../../../src/platform/clock/with-deadline.js';
import { standStill } from '../../support/stand-still.js';

let server: Server;
let client: Socket;
let remote: Socket;

beforeAll(async () => {
  server = createServer().listen(0, '127.0.0.1');
  const accepted = once(server, 'connection');
  await once(server, 'listening');
  client = connect((server.address() as AddressInfo).port, '127.0.0.1');
  [remote] = (await accepted) as [Socket];
});
afterAll(() => {
  client.destroy();
  remote.destroy();
  server.close();
});

it('a call gets what arrived before its deadline, although the process stood still until after it', async () => {
  const response = abortAfter(20, async (signal) => {
    const data = once(client, 'data', { signal });
    remote.write('250 Ok');
    standStill(50);
    return String((await data)[0]);
  });
  expect(await response).toBe('250 Ok');
});

it('a call that has no response at its deadline is aborted, with the reason', async () => {
  const call = abortAfter(1, (signal) => once(client, 'data', { signal }).catch(() => signal.reason as unknown));
  expect(await call).toMatchObject({ name: 'TimeoutError' });
});

it('a call that ends before its deadline leaves no timer behind', async () => {
  const timers = () => process.getActiveResourcesInfo().filter((name) => name === 'Timeout').length;
  const before = timers();
  await abortAfter(600_000, () => Promise.resolve());
  expect(timers()).toBe(before);
});
