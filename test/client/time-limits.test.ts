import { jest } from '@jest/globals';
import { Mailbeacon } from '../../packages/client/src/index.js';
import { eventually, settledWithin } from '../support/eventually.js';
import { errorOf } from './error-of.js';
import { ScriptedServer } from './scripted-server.js';

let server: ScriptedServer;
let client: Mailbeacon;

beforeAll(async () => {
  server = await ScriptedServer.listen();
  client = new Mailbeacon({ url: server.address });
});
afterAll(async () => server?.close());

/** No other timer has this time. */
const LIMIT_MS = 59_999;
const limits: (() => void)[] = [];

beforeEach(() => {
  const { setTimeout } = globalThis;
  const start = (end: () => void, milliseconds?: number): NodeJS.Timeout => {
    if (milliseconds === LIMIT_MS) limits.push(end);
    return setTimeout(end, milliseconds);
  };
  jest.spyOn(globalThis, 'setTimeout').mockImplementation(start as typeof setTimeout);
});
afterEach(() => jest.restoreAllMocks());

/** Ends the time of calls once the server has their requests: no short limit would be long enough on a busy machine. */
async function timeEnds(requests: number): Promise<void> {
  await eventually(() => server.received.length === requests);
  for (const end of limits.splice(0)) end();
}

describe('a call', () => {
  it('ends a call whose time is up', async () => {
    server.play({ hangs: true });
    const error = errorOf(client.emails.get('t', { timeoutMs: LIMIT_MS, retries: 0 }));
    await timeEnds(1);
    expect((await error).message).toBe(`GET /api/emails/t failed: no response within ${LIMIT_MS} ms`);
  });

  it('ends a call whose text does not arrive in time', async () => {
    const options = { timeoutMs: LIMIT_MS, retries: 0 };
    for (const { preview } of [client.emails, client.templates].map((group) => ({
      preview: group.preview.bind(group),
    }))) {
      server.play({ hangs: 'within' });
      const error = errorOf(preview('t', {}, options));
      await timeEnds(1);
      expect((await error).message).toMatch(/no response within \d+ ms$/);
      server.play({ breaks: 'within' }, { body: '<p>x</p>' });
      expect(await preview('t')).toBe('<p>x</p>');
    }
  });

  it('throws the reason of the signal if the caller aborts: during a request, and between two', async () => {
    server.play({ hangs: true });
    const stop = new AbortController();
    const call = client.emails.get('t', { signal: stop.signal });
    await eventually(() => server.received.length === 1);
    stop.abort(new Error('enough'));
    await expect(call).rejects.toThrow('enough');
    server.play({ status: 503, headers: { 'retry-after': '60' } });
    const pause = new AbortController();
    const waiting = client.emails.get('t', { signal: pause.signal });
    await eventually(() => server.received.length === 1);
    pause.abort(new Error('enough'));
    await expect(waiting).rejects.toThrow('enough');
  });

  it('throws the reason of a signal that has aborted before a pause begins', async () => {
    const stop = new AbortController();
    const aborting = async (): Promise<Response> => {
      stop.abort(new Error('enough'));
      return new Response('{}', { status: 503, headers: { 'retry-after': '60' } });
    };
    const { emails } = new Mailbeacon({ url: server.address, fetch: aborting });
    // Otherwise it waits for the minute of Retry-After.
    await expect(settledWithin(20_000, emails.get('t', { signal: stop.signal }))).rejects.toThrow('enough');
  });
});

describe('the time limit of the client', () => {
  it('shortens no file, and none may be infinite', async () => {
    const hasty = new Mailbeacon({ url: server.address, timeoutMs: LIMIT_MS, retries: 0 });
    let respond!: () => void;
    const after = new Promise<void>((resolve) => (respond = resolve));
    server.play({ after }, { after }, { after }, { hangs: true });
    const slow = Promise.all([
      hasty.suppressions.import('address\n'),
      hasty.contacts.export('a@example.com'),
      hasty.emails.get('t', { timeoutMs: Infinity }),
    ]);
    slow.catch(() => undefined);
    await eventually(() => server.received.length === 3);
    const error = errorOf(hasty.emails.get('t'));
    await timeEnds(4);
    expect((await error).message).toMatch(/no response within \d+ ms$/);
    respond();
    expect(await slow).toEqual([{}, {}, {}]);
  });
});
