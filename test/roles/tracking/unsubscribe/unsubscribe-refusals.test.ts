import { connect } from 'node:net';
import { anEmail, FORM, multipart, ONE_CLICK, pathOf, UnsubscribeServer } from './unsubscribe-server.js';

let server: UnsubscribeServer;
beforeEach(async () => {
  server = await UnsubscribeServer.start();
});
afterEach(() => server?.stop());

const facts = () => server.events.map(({ fact }) => fact);

describe('any other POST changes nothing', () => {
  it.each([
    ['a form submitted without its button, as robots do', 'from=page', FORM],
    ['a multipart form submitted without its button', multipart({ from: 'page' }), {}],
    ['another value', 'List-Unsubscribe=Never', FORM],
    ['a field name alone', 'List-Unsubscribe', FORM],
    ['the value in another field', 'note=List-Unsubscribe=One-Click', FORM],
    ['the field inside another part', multipart({ note: 'name="List-Unsubscribe"\n\nOne-Click' }), {}],
    ['JSON', '{"List-Unsubscribe":"One-Click"}', { 'content-type': 'application/json' }],
    ['bytes', new Uint8Array([0, 255, 254, 13, 10]), {}],
    ['a compressed body', new Uint8Array([31, 139, 8, 0]), { 'content-encoding': 'gzip' }],
  ] as [string, RequestInit['body'], Record<string, string>][])('%s', async (_, body, headers) => {
    const response = await server.post(pathOf(), body, headers);
    expect(response.status).toBe(400);
    expect(await response.text()).toContain('value="unsubscribe"');
    expect(facts()).toEqual([]);
    expect(await server.counted()).toEqual({ unrecognized: 1 });
  });

  it.each(['PUT', 'DELETE', 'PATCH', 'OPTIONS'])('%s', async (method) => {
    const response = await server.request(pathOf(), { method });
    expect([response.status, response.headers.get('allow')]).toEqual([405, 'GET, HEAD, POST']);
    expect(facts()).toEqual([]);
  });

  it('a body of more than 4 KB is refused on its length alone, and while it arrives', async () => {
    const large = `${ONE_CLICK}&x=${'y'.repeat(4_096)}`;
    for (const framing of [`content-length: ${large.length}`, 'transfer-encoding: chunked']) {
      const socket = connect(server.port, '127.0.0.1');
      const head = `POST ${pathOf()} HTTP/1.1\r\nhost: x\r\n${framing}\r\n\r\n`;
      // One byte short, so that only the limit can end the request.
      const chunk = framing.startsWith('t') ? `${large.length.toString(16)}\r\n${large}` : large.slice(0, 100);
      socket.write(head + chunk);
      const received = await new Promise<string>((resolve) => {
        let text = '';
        socket.on('data', (data) => (text += data.toString()));
        socket.on('error', () => resolve(text)).on('close', () => resolve(text));
      });
      expect(received).toMatch(/^HTTP\/1\.1 413 /);
      expect(received).toMatch(/^connection: close\r$/im);
    }
    expect(facts()).toEqual([]);
  });

  it('a client that disconnects in the middle of its body', async () => {
    const socket = connect(server.port, '127.0.0.1');
    socket.write(`POST ${pathOf()} HTTP/1.1\r\nhost: x\r\ncontent-length: 100\r\n\r\n${ONE_CLICK}`);
    await server.request(pathOf());
    socket.destroy();
    while (!(await server.counted())['incomplete']) await server.request('/elsewhere');
    expect(facts()).toEqual([]);
  });
});

describe('a wrong token is 404', () => {
  const good = pathOf();
  it.each([
    ['none', '/api/t/u/'],
    ['an altered one', good.slice(0, -1) + (good.endsWith('A') ? 'Q' : 'A')],
    ['a shortened one', good.slice(0, -3)],
    ['the ID of an email', `/api/t/u/${anEmail()}`],
    ['a percent-encoded NUL', '/api/t/u/%00'],
    ['a long text', `/api/t/u/${'x'.repeat(8_000)}`],
  ])('%s, with any method', async (_, path) => {
    for (const init of [{}, { method: 'HEAD' }, { method: 'POST', body: ONE_CLICK, headers: FORM }]) {
      const response = await server.request(path, { ...init, headers: { ...init.headers, 'accept-language': 'de' } });
      expect(response.status).toBe(404);
      if (response.headers.get('content-length') && !('method' in init)) {
        expect(await response.text()).toContain('Dieser Link funktioniert nicht');
      }
    }
    expect(facts()).toEqual([]);
    expect(await server.counted()).toEqual({ invalid: 3 });
  });

  it('does not handle other paths', async () => {
    for (const path of ['/api/t/o/x', '/api/t/c/x', '/api/t/u', '/API/T/U/x', '/']) {
      expect((await server.request(path)).status).toBe(418);
    }
  });
});
