import { once } from 'node:events';
import { createServer, type AddressInfo, type Server } from 'node:net';
import { GuardedSockets } from '../../../src/platform/outbound-http/guarded-sockets.js';
import { TargetRefusedError } from '../../../src/platform/outbound-http/outbound-policy.js';

const strict = { allowPrivateAddresses: false, allowHttp: false, ownHost: 'track.example.com' };
const open = { ...strict, allowPrivateAddresses: true };

let server: Server;
let connections: number;
let port: number;
beforeAll(async () => {
  server = createServer((socket) => {
    connections += 1;
    socket.destroy();
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  ({ port } = server.address() as AddressInfo);
});
beforeEach(() => (connections = 0));
afterAll(() => server.close());

/** @param addresses of every name */
const socketsTo = (policy: typeof strict, ...addresses: string[]) =>
  new GuardedSockets(policy, () => Promise.resolve(addresses));

it.each(['127.0.0.1', '10.0.0.1', '169.254.169.254', '::1', 'fd00::1', '::ffff:127.0.0.1'])(
  'refuses %s, also as the address of a name',
  async (address) => {
    const sockets = socketsTo(strict, address);
    expect(sockets.refusalOfServer(address, 587)).toMatch(/^must not lead to a private/);
    for (const host of [address, 'mail.example.com'])
      await expect(sockets.connect(host, 587, 5_000)).rejects.toThrow(TargetRefusedError);
  },
);

it.each(['localhost', 'localhost.', 'mail.localhost'])('refuses %s, which is this host', (host) => {
  expect(socketsTo(strict).refusalOfServer(host, 587)).toMatch(/^must not lead to a private/);
});

describe('internal names of the network', () => {
  const strange = [
    socketsTo(strict, '10.0.0.1'),
    socketsTo(strict),
    new GuardedSockets(strict, () => Promise.reject(Object.assign(new Error('unknown'), { code: 'ENOTFOUND' }))),
    new GuardedSockets(strict, () => Promise.reject(Object.assign(new Error('failed'), { code: 'ESERVFAIL' }))),
  ];

  it('may be saved whether they exist or not, without a query', () => {
    for (const sockets of strange) expect(sockets.refusalOfServer('db.internal.example', 587)).toBeUndefined();
  });

  it('fail in the same way whether they exist or not', async () => {
    const failures = strange.map((sockets) =>
      sockets.connect('db.internal.example', 587, 5_000).catch((error: unknown) => error),
    );
    for (const failure of await Promise.all(failures)) {
      expect(failure).toBeInstanceOf(TargetRefusedError);
      expect((failure as Error).message).toBe(
        'must lead to a public address: its name has none, or a private, loopback, link-local or otherwise reserved one',
      );
    }
  });
});

it('refuses a name of which only one address is public', async () => {
  const sockets = socketsTo(strict, '8.8.8.8', '127.0.0.1');
  await expect(sockets.connect('mail.example.com', 25, 5_000)).rejects.toThrow(TargetRefusedError);
});

it.each(['track.example.com', 'TRACK.example.com', 'track.example.com.'])('refuses this service: %s', (host) => {
  expect(socketsTo(strict, '8.8.8.8').refusalOfServer(host, 587)).toBe('must not lead to this service itself');
});

it.each([80, 443, 6379, 5432, 22])('refuses port %d, on which no mail server listens', (number) => {
  expect(socketsTo(strict, '8.8.8.8').refusalOfServer('mail.example.com', number)).toBe(
    'must have port 25, 465, 587, 2525',
  );
});

it('accepts public servers', () => {
  expect(socketsTo(strict).refusalOfServer('8.8.8.8', 2525)).toBeUndefined();
});

it('connects anywhere if that is allowed', async () => {
  const socket = await socketsTo(open, '127.0.0.1').connect('mail.test', port, 5_000);
  await once(socket.resume(), 'close');
  expect(connections).toBe(1);
});

it('rejects when nothing listens', async () => {
  await expect(socketsTo(open, '127.0.0.1').connect('mail.test', 9, 5_000)).rejects.toThrow(/ECONNREFUSED/);
});

it('rejects when the lookup takes too long', async () => {
  const stuck = new GuardedSockets(open, () => new Promise(() => undefined));
  await expect(stuck.connect('mail.test', port, 50)).rejects.toThrow('Connection timeout');
});
