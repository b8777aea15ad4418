import { BroadcastClient } from '../support/broadcast-client.js';
import { TestService, type TestClient } from '../support/service.js';

let service: TestService;
let client: TestClient;

beforeAll(async () => {
  service = await TestService.start();
  client = await service.organization();
});
afterAll(async () => service?.stop());

const html = '<style>p{color:red}</style><p>Hi</p><a href="https://acme.example/">x</a><script>alert(1)</script>';

async function send(): Promise<string> {
  const { body } = await client.post<{ emailTrackingId: string }>('/api/send', {
    ...{ from: 'ada@acme.example', to: 'reader@example.com', subject: 'S', htmlContent: html },
  });
  return body.emailTrackingId;
}

function preview(id: string, query = '', apiKey = client.apiKey): Promise<Response> {
  return fetch(`${service.address}/api/emails/${id}/preview${query}`, { headers: { 'x-api-key': apiKey } });
}

describe('the preview of an email', () => {
  it('is its HTML without the pixel and with disabled links', async () => {
    const response = await preview(await send());
    expect(response.status).toBe(200);
    expect(response.headers.get('content-type')).toBe('text/html; charset=utf-8');
    expect(await response.text()).toBe(html.replace('https://acme.example/', '#'));
  });

  it('blocks scripts, and loads images only on request', async () => {
    const id = await send();
    const policyOf = async (query: string): Promise<string> =>
      (await preview(id, query)).headers.get('content-security-policy')!;
    expect(await policyOf('')).toMatch(/^sandbox; default-src 'none';.* img-src data:;/);
    expect(await policyOf('?images=true')).toContain('img-src data: https: http:;');
    expect(await policyOf('?images=true')).not.toContain('script');
  });

  it('is the text that recipients get, on request', async () => {
    const derived = await preview(await send(), '?part=text');
    expect(derived.headers.get('content-type')).toBe('text/plain; charset=utf-8');
    expect(await derived.text()).toBe('Hi\n\nx <https://acme.example/>');
    const { body } = await client.post<{ emailTrackingId: string }>('/api/send', {
      ...{ from: 'ada@acme.example', to: 'reader@example.com', subject: 'S', htmlContent: html },
      textContent: 'In plain words',
    });
    expect(await (await preview(body.emailTrackingId, '?part=text')).text()).toBe('In plain words');
    expect((await preview(body.emailTrackingId, '?part=source')).status).toBe(400);
  });

  it('shows the text of an email without HTML', async () => {
    const { body } = await client.post<{ emailTrackingId: string }>('/api/send', {
      ...{ from: 'ada@acme.example', to: 'reader@example.com', subject: 'S' },
      textContent: '\nFish & <b>chips</b>\n  &lt; 5 EUR',
    });
    const response = await preview(body.emailTrackingId);
    expect(response.headers.get('content-type')).toBe('text/html; charset=utf-8');
    expect(await response.text()).toBe(
      '<pre style="white-space: pre-wrap">\n\nFish &amp; &lt;b>chips&lt;/b>\n  &amp;lt; 5 EUR</pre>',
    );
  });

  it('shows the text of a copy of a broadcast without HTML', async () => {
    const broadcasts = new BroadcastClient(client);
    const textContent = 'Dear {{ name }} {{ unsubscribe_url }}';
    const id = await broadcasts.create({ htmlContent: undefined, textContent });
    await broadcasts.add(id, [{ to: 'grace@example.com', variables: { name: '<Grace>' } }]);
    await broadcasts.move(id, 'send');
    await broadcasts.settled(id, 'sent');
    const { body } = await client.get<{ emails: { id: string }[] }>('/api/emails?recipient=grace@example.com');
    expect(await (await preview(body.emails[0]!.id)).text()).toBe(
      '<pre style="white-space: pre-wrap">\nDear &lt;Grace> {{unsubscribe_url}}</pre>',
    );
  });

  it('is the rendered HTML and text of one copy of a broadcast', async () => {
    const broadcasts = new BroadcastClient(client);
    const id = await broadcasts.create({ htmlContent: '<p>Dear {{ name }}</p>{{ unsubscribe_url }}' });
    await broadcasts.add(id, [{ to: 'ada@example.com', variables: { name: 'Ada' } }]);
    await broadcasts.move(id, 'send');
    await broadcasts.settled(id, 'sent');
    const { body } = await client.get<{ emails: { id: string }[] }>('/api/emails?recipient=ada@example.com');
    const copy = body.emails[0]!.id;
    expect(await (await preview(copy)).text()).toContain('<p>Dear Ada</p>');
    expect(await (await preview(copy, '?part=text')).text()).toContain('Dear Ada');
  });

  it('has a placeholder for the unsubscribe address of a copy of a broadcast', async () => {
    const broadcasts = new BroadcastClient(client);
    const htmlContent = '<p>Hi</p>{% if unsubscribe_url %}<a href="{{ unsubscribe_url }}">Stop</a>{% endif %}';
    const id = await broadcasts.create({ htmlContent });
    await broadcasts.add(id, [{ to: 'alan@example.com' }]);
    await broadcasts.move(id, 'send');
    await broadcasts.settled(id, 'sent');
    const { body } = await client.get<{ emails: { id: string }[] }>('/api/emails?recipient=alan@example.com');
    const copy = body.emails[0]!.id;
    expect(await (await preview(copy)).text()).toBe('<p>Hi</p><a href="#">Stop</a>');
    expect(await (await preview(copy, '?part=text')).text()).toBe('Hi\n\nStop <{{unsubscribe_url}}>');
  });

  it('does not count as an open', async () => {
    const id = await send();
    await preview(id);
    const { body } = await client.get<{ opens: number }>(`/api/emails/${id}`);
    expect(body.opens).toBe(0);
  });

  it('is 404 for an email of another organization, and for one that does not exist', async () => {
    const otherClient = await service.organization();
    expect((await preview(await send(), '', otherClient.apiKey)).status).toBe(404);
    expect((await preview('0190f3a4-7c1e-7a52-9c63-5d2a8a1b4e77')).status).toBe(404);
  });
});
