import { createServer, type Server, type ServerResponse } from 'node:http';
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { Mailbeacon } from '../../packages/client/src/index.js';
import type { LiveChange, LiveChangeType } from '../../packages/client/src/live.js';
import { LIVE_TYPES, type LiveType } from '../../src/events/live/live-message.js';
import { TestService } from '../support/service.js';

/** Does not compile when the library and the service know different types. */
const known: Record<LiveChangeType | 'email.failed', true> = Object.fromEntries(
  LIVE_TYPES.map((type) => [type, true]),
) as Record<LiveType, true>;

let server: Server;
let url: string;
const lastEventIds: (string | undefined)[] = [];
let responders: ((response: ServerResponse) => void)[] = [];

beforeAll(async () => {
  server = createServer((request, response) => {
    lastEventIds.push(request.headers['last-event-id'] as string | undefined);
    responders.shift()!(response);
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
});
beforeEach(() => lastEventIds.splice(0));
afterAll(() => void server.close());

const events = (text: string) => (response: ServerResponse) => {
  response.writeHead(200, { 'content-type': 'text/event-stream' });
  response.end(text);
};
const refusal = (status: number) => (response: ServerResponse) => {
  response.writeHead(status, { 'content-type': 'application/json' });
  response.end('{"error":"No"}');
};

it('reconnects after an end and an error, and continues after the last event', async () => {
  responders = [
    events('retry: 1\n\nid: 1-0\ndata: {"type":"ready","at":"a"}\n\n: \n\ndata: {"type":"email.sent","at":"b"}\n\n'),
    refusal(503),
    events('event: refresh\nid: 2-0\ndata: {"type":"refresh","at":"c"}\n\n'),
    refusal(401),
  ];
  const types: string[] = [];
  const follow = async (): Promise<void> => {
    for await (const { type } of new Mailbeacon({ url, apiKey: 'k' }).live.follow()) types.push(type);
  };
  await expect(follow()).rejects.toMatchObject({ status: 401 });
  expect(types).toEqual(['ready', 'email.sent', 'paused', 'paused', 'refresh', 'paused']);
  expect(lastEventIds).toEqual([undefined, '1-0', '1-0', '2-0']);
});

it('ends with the error of a key that cannot be sent', async () => {
  const changes = new Mailbeacon({ url, apiKey: 'mb_key…' }).live.follow();
  await expect(changes.next()).rejects.toBeInstanceOf(TypeError);
});

it('ends with its signal, also while it waits', async () => {
  responders = [refusal(503)];
  const controller = new AbortController();
  const changes = new Mailbeacon({ url, apiKey: 'k' }).live.follow({ signal: controller.signal });
  expect((await changes.next()).value).toMatchObject({ type: 'paused' });
  const next = changes.next();
  controller.abort(new Error('enough'));
  await expect(next).rejects.toThrow('enough');
});

it('follows the service', async () => {
  const service = await TestService.start();
  try {
    const { apiKey } = await service.organization();
    const client = new Mailbeacon({ url: service.address, apiKey });
    const changes: LiveChange[] = [];
    for await (const change of client.live.follow()) {
      changes.push(change);
      if (change.type === 'ready') {
        await client.emails.send({ from: 'ada@acme.example', to: 'r@example.com', subject: 'S', textContent: 'x' });
      }
      if (change.type === 'email.sent') break;
    }
    expect(changes.map(({ type }) => type)).toEqual(['ready', 'email.accepted', 'email.sent']);
    expect(Object.keys(known)).toEqual([...LIVE_TYPES]);
  } finally {
    await service.stop();
  }
});
