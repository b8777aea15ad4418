import { timeOfUuidV7 } from '../../../src/platform/clock/uuid-v7.js';
import { HITS_PER_MINUTE } from '../../../src/roles/tracking/tracking-edge.js';
import type { EngagementEvent } from '../../../src/events/engagement-event.js';
import { verdictOf } from '../../../src/events/verdict.js';
import { BROWSER, EdgeServer, emailTrackingId, linkPath, pixelPath, type EdgeResponse } from './edge-server.js';

let edge: EdgeServer;

beforeEach(async () => {
  edge = await EdgeServer.start();
});

afterEach(async () => {
  await edge.stop();
});

describe('the open pixel', () => {
  it('responds with a transparent image of one pixel and records the open', async () => {
    const { status, headers, body } = await edge.request(pixelPath);
    expect(status).toBe(200);
    expect(headers).toMatchObject({
      ...{ 'content-type': 'image/gif', 'content-length': '43', 'cache-control': 'no-store' },
      ...{ 'cross-origin-resource-policy': 'cross-origin', 'x-content-type-options': 'nosniff' },
    });
    expect(body.subarray(0, 10)).toEqual(Buffer.from([...Buffer.from('GIF89a'), 1, 0, 1, 0]));
    expect(body).toHaveLength(43);
    expect(edge.events).toEqual([{ type: 'opened', id: headers['x-request-id'], emailTrackingId }]);
    expect(timeOfUuidV7(edge.events[0]!.id)).toBe(edge.now);
  });

  it.each([['?utm_source=client'], ['/'], ['/?'], ['?a=/']])('ignores %s behind the ID', async (junk) => {
    expect((await edge.request(pixelPath + junk)).status).toBe(200);
    expect(edge.events).toHaveLength(1);
  });

  it('returns the same headers to HEAD and counts nothing', async () => {
    const [get, head] = [await edge.request(pixelPath), await edge.request(pixelPath, 'HEAD')];
    const comparable = ({ headers }: EdgeResponse) => ({ ...headers, date: '', 'x-request-id': '' });
    expect(head.status).toBe(200);
    expect(head.body).toHaveLength(0);
    expect(comparable(head)).toEqual(comparable(get));
    expect(edge.counted('open')).toEqual({ recorded: 1, head: 1 });
  });

  it.each([
    ['nothing', ''],
    ['an unknown ID', 'AAAAAAAAAAAAAAAAAAAAAAAB'],
    ['an altered ID', emailTrackingId.replace(/^./, (first) => (first === 'A' ? 'B' : 'A'))],
    ['more behind the ID', `${emailTrackingId}.gif`],
    ['a percent-encoded NUL', '%00'],
    ['broken percent-encoding', '%ff'],
    ['a path', '../../etc/passwd'],
    ['a long text', 'x'.repeat(8_000)],
  ])('returns the image for %s as well, and records nothing', async (_what, id) => {
    const { status, body } = await edge.request(`/api/t/o/${id}`);
    expect([status, body.length]).toEqual([200, 43]);
    expect(edge.events).toEqual([]);
    expect(edge.counted('open')).toEqual({ invalid: 1 });
  });
});

describe('a tracked link', () => {
  it('redirects to its destination and records the click', async () => {
    const url = 'https://shop.example/spring?a=1&b=2#offer';
    const { status, headers, body } = await edge.request(linkPath(url, 5));
    expect(status).toBe(302);
    expect(headers).toMatchObject({ location: url, 'cache-control': 'no-store', 'referrer-policy': 'no-referrer' });
    expect(body).toHaveLength(0);
    expect(edge.events).toEqual([
      { type: 'clicked', id: headers['x-request-id'], emailTrackingId, linkPosition: 5, url },
    ]);
  });

  it.each([
    ['entities already decoded', 'https://shop.example/?a=1&amp=2&copy=3'],
    ['template braces', 'https://shop.example/{{name}}?x={%raw%}'],
    ['unusual characters', `https://shop.example/a'b"c<d>e|f\\g^h\`i[j]`],
    ['upper case and no path', 'HTTPS://Shop.Example'],
    ['percent-encoding as written', 'https://shop.example/%2f%2F%zz'],
    ['eight kilobytes', `https://shop.example/${'x'.repeat(8_000)}`],
  ])('keeps a destination with %s byte for byte', async (_what, url) => {
    expect((await edge.request(linkPath(url))).headers.location).toBe(url);
  });

  it('encodes characters that a header cannot carry like a browser, and stores the original', async () => {
    const url = 'https://bücher.example/straße?q=größe';
    const { headers } = await edge.request(linkPath(url));
    expect(headers.location).toBe('https://xn--bcher-kva.example/stra%C3%9Fe?q=gr%C3%B6%C3%9Fe');
    expect(edge.events).toMatchObject([{ url }]);
  });

  it('puts no line break of a destination into the headers', async () => {
    const { status, headers } = await edge.request(linkPath('https://shop.example/\r\nSet-Cookie: a=b'));
    expect(status).toBe(302);
    expect(headers['set-cookie']).toBeUndefined();
  });

  it('redirects HEAD and counts nothing', async () => {
    const { status, headers } = await edge.request(linkPath('https://shop.example/'), 'HEAD');
    expect([status, headers.location]).toEqual([302, 'https://shop.example/']);
    expect(edge.events).toEqual([]);
    expect(edge.counted('click')).toEqual({ head: 1 });
  });

  it('redirects nowhere else, regardless of the query', async () => {
    const { headers } = await edge.request(`${linkPath('https://shop.example/')}?url=https://evil.test&u=//evil.test`);
    expect(headers.location).toBe('https://shop.example/');
  });

  it.each([
    ['nothing', ''],
    ['a URL', 'https://evil.test'],
    ['a protocol-relative URL', '//evil.test'],
    ['backslashes', '\\\\evil.test'],
    ['a percent-encoded NUL', '%00'],
    ['an altered token', linkPath('https://shop.example/').slice('/api/t/c/'.length).replace(/.$/, '_')],
    ['a token cut short', linkPath('https://shop.example/').slice('/api/t/c/'.length, -4)],
    ['an email tracking ID', emailTrackingId],
    ['a long text', 'x'.repeat(12_000)],
  ])('returns a readable page without Location for %s', async (_what, token) => {
    const { status, headers, body } = await edge.request(`/api/t/c/${token}`);
    expect(status).toBe(404);
    expect(headers.location).toBeUndefined();
    expect(headers['content-type']).toBe('text/html; charset=utf-8');
    expect(headers['content-security-policy']).toContain("default-src 'none'");
    expect(body.toString()).toContain('This link does not work');
    expect(edge.counted('click')).toEqual({ invalid: 1 });
  });
});

describe('the tracking edge', () => {
  it.each(['POST', 'PUT', 'DELETE', 'OPTIONS', 'PATCH'])('refuses %s', async (method) => {
    for (const path of [pixelPath, linkPath('https://shop.example/')]) {
      const { status, headers } = await edge.request(path, method);
      expect([status, headers.allow, headers.location]).toEqual([405, 'GET, HEAD', undefined]);
    }
    expect(edge.events).toEqual([]);
  });

  it.each(['/', '/api/t', '/api/t/', '/api/t/o', '/api/t/x/abc', '/api/send', '/API/T/O/abc'])(
    'does not handle %s',
    async (path) => {
      expect((await edge.request(path)).status).toBe(418);
    },
  );

  it('responds only when the event is stored', async () => {
    let stored!: () => void;
    edge.store = () => new Promise((resolve) => (stored = resolve));
    let isDone = false;
    const response = edge.request(pixelPath).then((value) => {
      isDone = true;
      return value;
    });
    await edge.request('/elsewhere');
    expect(isDone).toBe(false);
    stored();
    expect((await response).status).toBe(200);
  });

  it('responds to a reader even if the event cannot be stored anywhere, and counts the loss', async () => {
    edge.store = () => Promise.reject(new Error('disk full'));
    expect((await edge.request(pixelPath)).status).toBe(200);
    expect((await edge.request(linkPath('https://shop.example/'))).status).toBe(302);
    expect([edge.counted('open'), edge.counted('click')]).toEqual([{ lost: 1 }, { lost: 1 }]);
  });

  it('keeps responding to hits beyond the limit of one ID, but does not count them until the minute is over', async () => {
    await edge.hammer(linkPath('https://shop.example/'), HITS_PER_MINUTE + 500);
    expect(edge.events).toHaveLength(HITS_PER_MINUTE);
    expect(edge.counted('click')).toEqual({ recorded: HITS_PER_MINUTE, 'over-limit': 500 });
    expect((await edge.request(linkPath('https://shop.example/', 1))).status).toBe(302);
    expect(edge.events).toHaveLength(HITS_PER_MINUTE + 1);
    edge.now += 60_000;
    await edge.request(linkPath('https://shop.example/'));
    expect(edge.events).toHaveLength(HITS_PER_MINUTE + 2);
  });
});

describe('who caused a hit', () => {
  const gmail = {
    'user-agent': 'Mozilla/5.0 (Windows NT 5.1; rv:11.0) Gecko Firefox/11.0 (via ggpht.com GoogleImageProxy)',
  };
  const scanner = { ...BROWSER, 'x-forwarded-for': '192.0.2.7, 40.107.22.5' };
  const reasons = () => edge.events.map((event) => reasonOf(event));

  it('is stored in the event as a code, and omitted without a sign of a machine', async () => {
    await edge.request(pixelPath);
    await edge.request(pixelPath, 'GET', gmail);
    await edge.request(linkPath('https://shop.example/'), 'GET', { 'user-agent': 'curl/8.4.0' });
    await edge.request(linkPath('https://shop.example/'), 'GET', { ...BROWSER, 'sec-purpose': 'prefetch' });
    expect(reasons()).toEqual([
      undefined,
      'user-agent:google-image-proxy',
      'user-agent:http-library',
      'header:sec-purpose',
    ]);
  });

  it('is determined by the client that a trusted proxy names, and by nothing else', async () => {
    await edge.request(pixelPath, 'GET', scanner);
    const behindProxy = await EdgeServer.start(10, ['127.0.0.0/8']);
    await behindProxy.request(pixelPath, 'GET', scanner);
    expect(reasons()).toEqual([undefined]);
    expect(behindProxy.events.map(reasonOf)).toEqual(['network:microsoft-eop']);
    await behindProxy.stop();
  });
});

function reasonOf(event: EngagementEvent): string | undefined {
  return 'verdict' in event && event.verdict !== undefined ? verdictOf(event.verdict).reason : undefined;
}
