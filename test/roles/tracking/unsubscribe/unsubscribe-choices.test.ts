import { connect } from 'node:net';
import { timeOfUuidV7 } from '../../../../src/platform/clock/uuid-v7.js';
import { CHOICES_PER_DAY, CHOICES_PER_MINUTE } from '../../../../src/roles/tracking/unsubscribe/unsubscribe-edge.js';
import { anEmail, FORM, multipart, ONE_CLICK, pathOf, UnsubscribeServer } from './unsubscribe-server.js';

let server: UnsubscribeServer;
beforeEach(async () => {
  server = await UnsubscribeServer.start();
});
afterEach(() => server?.stop());

const facts = () => server.events.map(({ fact }) => fact);

describe('a POST unsubscribes', () => {
  it.each([
    ['the form of RFC 8058', ONE_CLICK, FORM],
    ['the form in other letters', 'list-unsubscribe=one-click', FORM],
    ['the form with a charset', ONE_CLICK, { 'content-type': 'application/x-www-form-urlencoded; charset=UTF-8' }],
    ['the form as plain text', `${ONE_CLICK}\r\n`, { 'content-type': 'text/plain' }],
    ['the form without a type', new Blob([ONE_CLICK]), {}],
    ['the multipart form of RFC 8058', multipart({ 'List-Unsubscribe': 'One-Click' }), {}],
    ['an empty body', null, {}],
    ['an empty form', '', FORM],
    ['the button', 'from=page&choice=unsubscribe', FORM],
    ['the button in multipart', multipart({ from: 'page', choice: 'unsubscribe' }), {}],
  ] as [string, RequestInit['body'], Record<string, string>][])('with %s', async (_, body, headers) => {
    const emailTrackingId = anEmail();
    const response = await server.post(pathOf({ emailTrackingId }), body, headers);
    expect(response.status).toBe(200);
    const [event] = server.events;
    const id = response.headers.get('x-request-id');
    expect(server.events).toEqual([
      { type: 'recipient', id, email: emailTrackingId, recipient: 0, fact: 'unsubscribed' },
    ]);
    expect(timeOfUuidV7(event!.id)).toBe(server.now);
    expect(await response.text()).toContain('value="resubscribe"');
    expect(await server.counted()).toEqual({ unsubscribed: 1 });
  });

  it('with the multipart body that a mail service writes by hand', async () => {
    const body = [
      '--x-Bound_1',
      'Content-Type: text/plain',
      'content-disposition: form-data; name=List-Unsubscribe',
      '',
      'One-Click',
      '--x-Bound_1--',
      '',
    ].join('\r\n');
    const type = 'Multipart/Form-Data; charset=utf-8; boundary="x-Bound_1"';
    expect((await server.post(pathOf(), body, { 'content-type': type })).status).toBe(200);
    expect(facts()).toEqual(['unsubscribed']);
  });

  it('with the example of RFC 8058, 8.3, whose lines lack the two hyphens before the boundary (erratum 5117)', async () => {
    const body = [
      '---FormBoundaryjWmhtjORrn',
      'Content-Disposition: form-data; name="List-Unsubscribe"',
      '',
      'One-Click',
      '---FormBoundaryjWmhtjORrn--',
    ].join('\r\n');
    const type = 'multipart/form-data; boundary=---FormBoundaryjWmhtjORrn';
    expect((await server.post(pathOf(), body, { 'content-type': type })).status).toBe(200);
    expect(facts()).toEqual(['unsubscribed']);
  });

  it('with a multipart body whose header fields are folded', async () => {
    const body = '--e\r\nContent-Disposition: form-data;\r\n\tname="List-Unsubscribe"\r\n\r\nOne-Click\r\n--e--\r\n';
    const type = 'multipart/form-data; boundary=e';
    expect((await server.post(pathOf(), body, { 'content-type': type })).status).toBe(200);
    expect(facts()).toEqual(['unsubscribed']);
  });

  it('and the page offers to undo it by another POST; then the recipient can unsubscribe again', async () => {
    const path = pathOf();
    for (const choice of ['unsubscribe', 'resubscribe', 'unsubscribe']) {
      const page = await (await server.post(path, `from=page&choice=${choice}`, FORM)).text();
      expect(page).toContain(choice === 'unsubscribe' ? 'value="resubscribe"' : 'value="unsubscribe"');
      server.now += 1;
    }
    expect(facts()).toEqual(['unsubscribed', 'resubscribed', 'unsubscribed']);
    const times = server.events.map(({ id }) => timeOfUuidV7(id));
    expect(times).toEqual([...times].sort());
    expect(new Set(times).size).toBe(3);
  });

  it('for a client that waits for 100 Continue', async () => {
    const socket = connect(server.port, '127.0.0.1');
    let received = '';
    const until = (text: string) =>
      new Promise<void>((resolve) => {
        socket.on('data', (data) => (received += data.toString()) && received.includes(text) && resolve());
      });
    const head = `POST ${pathOf()} HTTP/1.1\r\nhost: x\r\nexpect: 100-continue\r\ncontent-length: ${ONE_CLICK.length}\r\n\r\n`;
    const expected100 = until('100 Continue');
    socket.write(head);
    await expected100;
    const responded = until('HTTP/1.1 200');
    socket.write(ONE_CLICK);
    await responded;
    socket.destroy();
    expect(facts()).toEqual(['unsubscribed']);
  });
});

describe('200 means durable', () => {
  it('waits until the event is stored', async () => {
    let stored!: () => void;
    server.store = () => new Promise((resolve) => (stored = resolve));
    let responded = false;
    const response = server.post(pathOf(), ONE_CLICK, FORM).finally(() => (responded = true));
    await server.request('/elsewhere');
    await server.request('/elsewhere');
    expect(responded).toBe(false);
    stored();
    expect((await response).status).toBe(200);
  });

  it('returns 503 if the disk takes long, and still stores the choice when it responds', async () => {
    let responds!: () => void;
    const disk = new Promise<void>((resolve) => (responds = resolve));
    const { store } = server;
    server.isSlow = true;
    server.store = (event) => disk.then(() => store(event));
    const response = await server.post(pathOf(), ONE_CLICK, FORM);
    expect([response.status, response.headers.get('retry-after')]).toEqual([503, '60']);
    expect(server.events).toEqual([]);
    responds();
    while (server.events.length === 0) await server.request('/elsewhere');
    expect(server.events).toMatchObject([{ fact: 'unsubscribed' }]);
    expect(await server.counted()).toEqual({ delayed: 1 });
  });

  it.each(['unsubscribe', 'resubscribe'])(
    'returns 503 with a page that retries %s if nothing stores it',
    async (choice) => {
      server.store = () => Promise.reject(new Error('disk full'));
      const response = await server.post(pathOf(), `from=page&choice=${choice}`, FORM);
      expect([response.status, response.headers.get('retry-after')]).toEqual([503, '60']);
      expect(await response.text()).toContain(`value="${choice}"`);
      expect(await server.counted()).toEqual({ lost: 1 });
    },
  );
});

it('one recipient can neither fill the history nor delay others', async () => {
  const path = pathOf();
  for (let at = 0; at < CHOICES_PER_MINUTE; at++) expect((await server.post(path, null)).status).toBe(200);
  const refused = await server.post(path, ONE_CLICK, FORM);
  expect([refused.status, refused.headers.get('retry-after')]).toEqual([429, '60']);
  expect(server.events).toHaveLength(CHOICES_PER_MINUTE);
  expect((await server.request(path)).status).toBe(200);
  expect((await server.post(pathOf(), null)).status).toBe(200);
  server.now += 60_000;
  expect((await server.post(path, null)).status).toBe(200);
});

it('nor fill it, and the webhooks of the organization, in the course of a day', async () => {
  const path = pathOf();
  for (let at = 0; at < CHOICES_PER_DAY; at++) {
    expect((await server.post(path, null)).status).toBe(200);
    server.now += 60_000;
  }
  const refused = await server.post(path, ONE_CLICK, FORM);
  expect([refused.status, refused.headers.get('retry-after')]).toEqual([429, '3600']);
  expect(server.events).toHaveLength(CHOICES_PER_DAY);
  expect((await server.post(pathOf(), null)).status).toBe(200);
  server.now += 86_400_000;
  expect((await server.post(path, null)).status).toBe(200);
});
