import { parse, parseFragment, serialize } from 'parse5';
import { LANGUAGES } from '../../../../src/roles/tracking/unsubscribe/page-texts.js';
import { pathOf, UnsubscribeServer } from './unsubscribe-server.js';

let server: UnsubscribeServer;
beforeEach(async () => {
  server = await UnsubscribeServer.start();
});
afterEach(() => server?.stop());

const facts = () => server.events.map(({ fact }) => fact);

describe('GET and HEAD change nothing', () => {
  it('GET shows a small page without scripts: the sender, the address, one button', async () => {
    const response = await server.request(pathOf());
    const html = await response.text();
    expect(response.status).toBe(200);
    expect(html).toContain('Acme Shop');
    expect(html).toContain('news@acme.example');
    expect(html).toContain('re…@example.com');
    expect(html).not.toContain('reader@example.com');
    expect(html.match(/<button/g)).toHaveLength(1);
    expect(html).not.toMatch(/<script|javascript:|\son\w+=|https?:/i);
    expect(Buffer.byteLength(html)).toBeLessThan(5_000);
    expect(facts()).toEqual([]);
    expect(await server.counted()).toEqual({ page: 1 });
  });

  it('HEAD has the same headers and no body', async () => {
    const path = pathOf();
    const [get, head] = [await server.request(path), await server.request(path, { method: 'HEAD' })];
    const comparable = ({ headers }: Response) => {
      const perRequest = ['date', 'x-request-id', 'connection', 'keep-alive'];
      return [...headers].filter(([name]) => !perRequest.includes(name));
    };
    expect(head.status).toBe(200);
    expect(comparable(head)).toEqual(comparable(get));
    expect(facts()).toEqual([]);
  });

  it.each(['?List-Unsubscribe=One-Click', '?choice=unsubscribe', '/', '/?utm_source=mail'])(
    'a GET with %s behind the token shows the page alone',
    async (more) => {
      expect((await server.request(pathOf() + more)).status).toBe(200);
      expect(facts()).toEqual([]);
    },
  );

  it('is protected: no cache, no index, no referrer, no cookie, no frame, no script', async () => {
    const { headers } = await server.request(pathOf());
    expect(Object.fromEntries(headers)).toMatchObject({
      'cache-control': 'no-store',
      'x-robots-tag': 'noindex, nofollow',
      'referrer-policy': 'no-referrer',
      'x-content-type-options': 'nosniff',
      vary: 'Accept-Language',
    });
    const policy = headers.get('content-security-policy')!;
    expect(policy).toMatch(/^default-src 'none'; style-src 'sha256-[\w+/]+=';/);
    expect(policy).toContain("form-action 'self'");
    expect(policy).toContain("frame-ancestors 'none'");
    expect(policy).not.toContain('unsafe');
    expect(headers.has('set-cookie')).toBe(false);
  });
});

describe('the page', () => {
  it.each(LANGUAGES)('is in %s for its readers, with the language declared', async (language) => {
    const path = pathOf();
    const get = (header: string) => server.request(path, { headers: { 'accept-language': header } });
    const response = await get(`xx, ${language}-XX;q=0.8, en;q=0.5`);
    const html = await response.text();
    expect(response.headers.get('content-language')).toBe(language);
    expect(html).toContain(`<html lang="${language}" dir="ltr">`);
    expect(html).not.toMatch(/[{}](sender|recipient)/);
    expect(html.match(/<h1>/g)).toHaveLength(1);
    const english = await (await get('en')).text();
    if (language !== 'en')
      expect(html.split('<h1>')[1]!.split('<')[0]).not.toBe(english.split('<h1>')[1]!.split('<')[0]);
  });

  it.each([
    ['de;q=0.5, fr;q=0.9', 'fr'],
    ['de;q=0, *', 'en'],
    ['ja, zh;q=0.5', 'en'],
    ['DE-at', 'de'],
    ['pt-BR', 'pt'],
    ['fr;q=x, de;q=0.1', 'de'],
    [`de${',x'.repeat(1_000)}`, 'en'],
    [',,;;q=;', 'en'],
  ])('is shown for %s in %s', async (header, language) => {
    const { headers } = await server.request(pathOf(), { headers: { 'accept-language': header } });
    expect(headers.get('content-language')).toBe(language);
  });

  it.each([
    '<script>alert(1)</script>',
    '"><img src=x onerror=alert(1)>',
    "' & </title></style><b>",
    '{recipient} {sender} $& $1',
    '\u202Edlrow',
    'עברית',
  ])('shows the sender name %s as text', async (name) => {
    const path = pathOf({ sender: { address: 'x@acme.example', name } });
    for (const init of [{}, { method: 'POST' }]) {
      const html = await (await server.request(path, init)).text();
      expect(serialize(parse(html))).not.toMatch(/<(script|img)/);
      const shown = /<bdi>(.*?)<\/bdi>/.exec(html)![1]!;
      expect(textOf(shown)).toBe(name);
      expect(shown).not.toContain('<');
    }
  });
});

function textOf(html: string): string {
  return parseFragment(html)
    .childNodes.map((node) => ('value' in node ? node.value : ''))
    .join('');
}
