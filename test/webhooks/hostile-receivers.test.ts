import type { ServerResponse } from 'node:http';
import { respondWith, WebhookReceiver } from '../support/webhook-receiver.js';
import { eventually } from '../support/eventually.js';
import { WebhookBench } from './webhook-bench.js';

let bench: WebhookBench;
let receiver: WebhookReceiver;

beforeAll(async () => {
  bench = await WebhookBench.start();
});
afterAll(() => bench?.stop());
beforeEach(async () => {
  receiver = await WebhookReceiver.listen();
});
afterEach(async () => {
  await receiver.stop();
});

async function firstAttempt(respond: WebhookReceiver['respond'], limitMs?: number) {
  receiver.respond = respond;
  const { id } = await bench.webhook(receiver.url);
  await bench.write(id, 1);
  await bench.run('sweep-webhooks');
  const delivery = await bench.delivery(id, ({ attemptCount }) => attemptCount === 1, limitMs);
  await bench.client.delete(`/api/webhooks/${id}`);
  return { ...delivery, attempt: delivery.attempts[0]! };
}

const DRIP_MS = 200;

/** Sends a byte at intervals, for ever. */
function drip(response: ServerResponse): void {
  const timer = setInterval(() => response.write('.'), DRIP_MS);
  response.once('close', () => clearInterval(timer));
}

it('W06, F27: a slow loris is disconnected after 15 seconds in its headers', async () => {
  const respond = (response: ServerResponse) => void response.socket!.write('HTTP/1.1 200 OK\r\nx-slow: ');
  const { status, attempt } = await firstAttempt(respond, 60_000);
  expect(status).toBe('pending');
  expect(attempt).toMatchObject({ status: null, error: 'No response within 15 seconds', answer: null });
  expect(attempt.durationMs).toBeGreaterThanOrEqual(14_900);
});

it('W06, F27: it is disconnected after 5 seconds in its body, and its status counts', async () => {
  const { status, attempt } = await firstAttempt((response) => drip(response.writeHead(200)), 60_000);
  expect(status).toBe('delivered');
  expect(attempt).toMatchObject({ status: 200, error: null, answer: expect.stringMatching(/^\.+$/) });
  expect(attempt.durationMs).toBeGreaterThanOrEqual(4_900);
  // Otherwise the limit of the headers ends it, after 15 seconds. A busy machine sends fewer bytes until then.
  expect(attempt.answer!.length).toBeLessThan(10_000 / DRIP_MS);
  await eventually(() => receiver.openConnections === 0);
});

/** Sends data as fast as it is read, for ever. */
function pourInto(response: ServerResponse, written: { bytes: number }): void {
  const chunk = Buffer.alloc(1024 * 1024, 'x');
  const pour = (): void => {
    if (response.destroyed) return;
    written.bytes += chunk.length;
    if (response.write(chunk)) setImmediate(pour);
    else response.once('drain', pour);
  };
  pour();
}

it('W07, F27: only the start of a 10 MB response is read, and memory stays flat', async () => {
  const written = { bytes: 0 };
  const { attempt } = await firstAttempt((response) => pourInto(response.writeHead(200), written));
  expect(attempt).toMatchObject({ status: 200, answer: 'x'.repeat(256) });
  await eventually(() => receiver.openConnections === 0);
  // The buffers of the operating system, and no more.
  expect(written.bytes).toBeLessThan(32 * 1024 * 1024);

  receiver.respond = (response) => void response.writeHead(200).end(bigAnswer);
  const endpoint = await bench.endpoint(receiver.url);
  await bench.write(endpoint, 20);
  await bench.sweep();
  globalThis.gc?.();
  const before = process.memoryUsage();
  await bench.write(endpoint, 300);
  await bench.sweep();
  globalThis.gc?.();
  const after = process.memoryUsage();
  // 300 responses are 3 GB: keeping even a few of them would show.
  expect(after.rss - before.rss).toBeLessThan(150 * 1024 * 1024);
  expect(receiver.received.length).toBe(321);
});

const bigAnswer = Buffer.alloc(10 * 1024 * 1024, 'x');

describe('F27: other failures of receivers', () => {
  it('a connection that is closed before the response', async () => {
    const { attempt } = await firstAttempt((response) => void response.socket!.destroy());
    expect(attempt).toMatchObject({ status: null, error: 'The connection was reset' });
  });

  describe('a connection that is closed within the body of the response', () => {
    const cut = (status: number, headers = {}) =>
      firstAttempt((response) => {
        response.writeHead(status, { 'content-length': 100, ...headers }).write('x');
        setTimeout(() => response.socket?.destroy(), 20);
      });

    it('is a success with a 2xx', async () => {
      const { status, attempt } = await cut(200);
      expect(status).toBe('delivered');
      expect(attempt).toMatchObject({ status: 200, error: null, answer: 'x' });
    });

    it('disables the webhook with 410', async () => {
      const { status, attempt } = await cut(410);
      expect(status).toBe('failed');
      expect(attempt).toMatchObject({ status: 410, error: 'The receiver responded with 410' });
    });

    it('delays the retry with 503 and Retry-After', async () => {
      const { status, nextAttemptAt } = await cut(503, { 'retry-after': '120' });
      expect(status).toBe('pending');
      expect(Date.parse(nextAttemptAt!) - Date.now()).toBeGreaterThan(60_000);
    });
  });

  it('a protocol upgrade, which was not requested', async () => {
    const head = 'HTTP/1.1 101 Switching Protocols\r\nconnection: upgrade\r\nupgrade: websocket\r\n\r\n';
    const { status, attempt } = await firstAttempt((response) => void response.socket!.write(head));
    expect(status).toBe('pending');
    expect(attempt).toMatchObject({ status: 101, error: 'The receiver responded with 101', answer: '' });
    await eventually(() => receiver.openConnections === 0);
  });

  it('a closed port', async () => {
    await receiver.stop();
    const { attempt } = await firstAttempt(respondWith(204));
    expect(attempt).toMatchObject({ status: null, error: 'The connection was refused' });
  });

  it('endless headers', async () => {
    const { attempt } = await firstAttempt(respondWith(200, { 'x-long': 'x'.repeat(40_000) }));
    expect(attempt.error).toBe('The response headers are too large');
  });

  it('a response that is not HTTP', async () => {
    const { attempt } = await firstAttempt((response) => void response.socket!.end('220 mail.example ESMTP\r\n'));
    expect(attempt.error).toMatch(/^The request failed \(HPE_/);
  });

  it('bytes that are not text', async () => {
    const { attempt } = await firstAttempt((response) => void response.writeHead(500).end(Buffer.from([0, 255, 97])));
    expect(attempt).toMatchObject({ status: 500, answer: '\ufffd\ufffda' });
  });

  it('an endless response to each request on one connection leaves no connection open', async () => {
    await firstAttempt((response) => void response.writeHead(200).end(bigAnswer));
    await eventually(() => receiver.openConnections === 0);
  });
});
