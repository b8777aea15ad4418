import nodeHttp from 'node:http';
import { connect } from 'node:net';
import { guardedLookup } from '../../../src/platform/outbound-http/guarded-lookup.js';
import { TargetRefusedError } from '../../../src/platform/outbound-http/outbound-policy.js';
import { DeadlineError } from '../../../src/platform/clock/with-deadline.js';
import { GuardedHttp } from '../../../src/platform/outbound-http/guarded-http.js';
import { eventually } from '../../support/eventually.js';
import { respondWith, WebhookReceiver } from '../../support/webhook-receiver.js';

const strict = { allowPrivateAddresses: false, allowHttp: true, ownHost: 'track.example.com' };
const open = { ...strict, allowPrivateAddresses: true };

let receiver: WebhookReceiver;
const clients: GuardedHttp[] = [];

beforeEach(async () => {
  receiver = await WebhookReceiver.listen();
});
afterEach(async () => {
  for (const client of clients.splice(0)) client.close();
  await receiver.stop();
});

/** @param lookupResults the addresses of the name, one entry per lookup, the last for all further ones */
function client(policy: typeof strict, ...lookupResults: string[][]) {
  let lookups = 0;
  const findAddresses = async () => lookupResults[Math.min(lookups++, lookupResults.length - 1)] ?? [];
  const http = new GuardedHttp(policy, findAddresses);
  clients.push(http);
  return { http, looked: () => lookups };
}

const port = () => new URL(receiver.url).port;

function post(http: GuardedHttp, url: string, deadlineMs = 5_000) {
  return http.post({ url, headers: { 'x-test': '1' }, body: '{}', deadlineMs, keepBytes: 100 });
}

describe('W14, V09: an address that is not public', () => {
  const literal = (host: string) => `http://${host}:${port()}/`;

  it.each([
    ['127.0.0.1', '127.1', '0x7f.1', '2130706433', '017700000001', '①②⑦.⓪.⓪.①', '127.0.0.1.', '0', '0.0.0.0'],
    ['[::1]', '[::]', '[::ffff:127.0.0.1]', '[::ffff:7f00:1]', '[::127.0.0.1]'],
    ['169.254.169.254', '[fd00:ec2::254]', '[64:ff9b::7f00:1]', '[2002:7f00:1::]', '[2001:0:7f00:1::]'],
    ['10.0.0.1', '172.16.0.1', '192.168.1.1', '100.64.0.1', '198.18.0.1', '[fe80::1]', '[fc00::1]', '224.0.0.1'],
  ])('is refused when it is written in the URL: %s, …', async (...hosts) => {
    const { http } = client(strict, ['8.8.8.8']);
    for (const host of hosts) {
      expect([host, http.refusalOf(new URL(literal(host)))]).toEqual([host, expect.stringMatching(/^must not lead/)]);
      await expect(post(http, literal(host))).rejects.toThrow(TargetRefusedError);
    }
    expect(receiver.connections).toBe(0);
  });

  it.each(['localhost', 'localhost.', 'hooks.localhost'])(
    'is refused when a name means this host: %s',
    async (host) => {
      const { http, looked } = client(strict, ['8.8.8.8']);
      expect(http.refusalOf(new URL(literal(host)))).toMatch(/^must not lead/);
      await expect(post(http, literal(host))).rejects.toThrow(TargetRefusedError);
      expect([looked(), receiver.connections]).toEqual([0, 0]);
    },
  );

  it.each(['127.0.0.1.nip.io', 'metadata.google.internal'])(
    'is refused when a name resolves to it, in a connection only and as a name without an address: %s',
    async (host) => {
      const failures: unknown[] = [];
      for (const addresses of [['127.0.0.1'], []]) {
        const { http, looked } = client(strict, addresses);
        expect([http.refusalOf(new URL(literal(host))), looked()]).toEqual([undefined, 0]);
        failures.push(await post(http, literal(host)).catch((error: unknown) => error));
      }
      expect(failures[0]).toBeInstanceOf(TargetRefusedError);
      expect(failures[1]).toEqual(failures[0]);
      expect(receiver.connections).toBe(0);
    },
  );

  it('is refused when it is one of several', async () => {
    for (const addresses of [
      ['8.8.8.8', '127.0.0.1'],
      ['127.0.0.1', '8.8.8.8'],
      ['2606:4700:4700::1111', '::1'],
    ]) {
      const { http } = client(strict, addresses);
      await expect(post(http, literal('two.example'))).rejects.toThrow(TargetRefusedError);
    }
    expect(receiver.connections).toBe(0);
  });

  it('is refused when a name that was public at first resolves to it later', async () => {
    const lookupResults = [['8.8.8.8'], ['127.0.0.1']];
    const lookup = guardedLookup(strict, () => Promise.resolve(lookupResults.shift()!));
    const find = () =>
      new Promise((resolve) => lookup('rebind.example', { all: true }, (error, found) => resolve(error ?? found)));
    expect(await find()).toEqual([{ address: '8.8.8.8', family: 4 }]);
    expect(await find()).toBeInstanceOf(TargetRefusedError);
  });

  it('is neither checked nor used beyond the first sixteen of a name, which may have thousands', async () => {
    const many = Array.from({ length: 4_000 }, (_, n) => `93.184.${n >> 8}.${n & 255}`);
    const lookup = guardedLookup(strict, () => Promise.resolve([...many, '127.0.0.1']));
    const found = await new Promise((resolve) =>
      lookup('many.example', { all: true }, (error, addresses) => resolve(error ?? addresses)),
    );
    expect(found).toEqual(many.slice(0, 16).map((address) => ({ address, family: 4 })));
  });

  it('is checked in the only lookup, whose addresses are used for the connection', async () => {
    const { http, looked } = client(open, ['127.0.0.1'], ['203.0.113.1']);
    expect((await post(http, literal('once.example'))).status).toBe(204);
    expect(looked()).toBe(1);
  });

  it.each([
    ['file:///etc/passwd', 'must start with https://'],
    ['ftp://example.com/', 'must start with https://'],
    ['gopher://example.com/', 'must start with https://'],
    ['https://user:secret@example.com/', 'must not contain a user name or password'],
    ['https://user@example.com/', 'must not contain a user name or password'],
    ['https://example.com:25/', 'must have port 443, 80, or one from 1024 up'],
    ['https://example.com:22/', 'must have port 443, 80, or one from 1024 up'],
    ['https://example.com:6667/', 'must have port 443, 80, or one from 1024 up'],
    ['https://track.example.com/api/send', 'must not lead to this service itself'],
    ['https://TRACK.example.com./', 'must not lead to this service itself'],
  ])('%s: %s', async (url, reason) => {
    const { http } = client(strict, ['8.8.8.8']);
    expect(http.refusalOf(new URL(url))).toContain(reason);
    await expect(post(http, url)).rejects.toThrow(TargetRefusedError);
  });

  it('without TLS only where that is allowed', async () => {
    const { http } = client({ ...strict, allowHttp: false }, ['8.8.8.8']);
    expect(http.refusalOf(new URL('http://example.com/'))).toBe('must start with https://');
    expect(http.refusalOf(new URL('https://example.com:8443/'))).toBeUndefined();
  });
});

describe('posting', () => {
  it('follows no redirect', async () => {
    const inner = await WebhookReceiver.listen();
    receiver.respond = respondWith(302, { location: inner.url });
    const { http } = client(open, ['127.0.0.1']);
    expect((await post(http, receiver.url)).status).toBe(302);
    expect(inner.connections).toBe(0);
    await inner.stop();
  });

  it('uses neither a proxy from the environment nor a global agent', async () => {
    const proxy = await WebhookReceiver.listen();
    const before = { environment: { ...process.env }, agent: nodeHttp.globalAgent };
    Object.assign(process.env, { HTTP_PROXY: proxy.url, http_proxy: proxy.url, NODE_USE_ENV_PROXY: '1' });
    // As packages do that send everything through a proxy, and newer versions of Node by that setting.
    const viaProxy = new nodeHttp.Agent();
    Object.assign(viaProxy, { createConnection: () => connect(Number(new URL(proxy.url).port), '127.0.0.1') });
    nodeHttp.globalAgent = viaProxy;
    try {
      nodeHttp
        .request(receiver.url, { method: 'POST' })
        .on('error', () => undefined)
        .end();
      await eventually(() => proxy.connections === 1);
      const { http } = client(open, ['127.0.0.1']);
      expect((await post(http, receiver.url)).status).toBe(204);
      // The second time the kept connection breaks, and the request is made anew.
      receiver.respond = (response) => {
        if (receiver.received.length === 2) response.socket!.destroy();
        else response.writeHead(204).end();
      };
      expect((await post(http, receiver.url)).status).toBe(204);
      expect([receiver.received.length, proxy.connections]).toEqual([3, 1]);
    } finally {
      process.env = before.environment;
      nodeHttp.globalAgent = before.agent;
      await proxy.stop();
    }
  });

  it('sends no second request when a response ends after its headers', async () => {
    const { http } = client(open, ['127.0.0.1']);
    await post(http, receiver.url);
    receiver.respond = (response) => {
      response.writeHead(200, { 'content-length': 100 }).write('begun', () => response.socket!.destroy());
    };
    expect((await post(http, receiver.url)).status).toBe(200);
    expect([receiver.received.length, receiver.connections]).toEqual([2, 1]);
  });

  it('reuses a connection, and opens a new one when the server has closed it', async () => {
    const { http } = client(open, ['127.0.0.1']);
    await post(http, receiver.url);
    await post(http, receiver.url);
    expect(receiver.connections).toBe(1);
    receiver.respond = (response) => {
      if (receiver.received.length === 3) response.socket!.destroy();
      else response.writeHead(204).end();
    };
    expect((await post(http, receiver.url)).status).toBe(204);
    expect([receiver.connections, receiver.received.length]).toEqual([2, 4]);
  });

  it('ends at the deadline in every phase', async () => {
    receiver.respond = () => undefined;
    const silent = client(open, ['127.0.0.1']).http;
    await expect(post(silent, receiver.url, 200)).rejects.toThrow(DeadlineError);
    const neverFound = new GuardedHttp(open, () => new Promise<never>(() => undefined));
    clients.push(neverFound);
    await expect(post(neverFound, 'http://slow-dns.example/', 200)).rejects.toThrow(DeadlineError);
  });

  it('keeps only the beginning of the response', async () => {
    receiver.respond = respondWith(200, {}, 'x'.repeat(1_000_000));
    const { http } = client(open, ['127.0.0.1']);
    expect((await post(http, receiver.url)).body.toString()).toBe('x'.repeat(100));
  });

  it('reports why a name has no address', async () => {
    const failing = new GuardedHttp(open, () => Promise.reject(Object.assign(new Error(), { code: 'ENOTFOUND' })));
    clients.push(failing);
    await expect(post(failing, 'http://nobody.example/')).rejects.toMatchObject({ code: 'ENOTFOUND' });
    const { http } = client(open, []);
    await expect(post(http, 'http://nobody.example/')).rejects.toMatchObject({ code: 'ENOTFOUND' });
  });
});
