import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { pino } from 'pino';
import { Registry } from 'prom-client';
import { SubmissionLimits } from '../../../src/emails/submission/submission-limits.js';
import type { SubmissionParts } from '../../../src/emails/submission/submission-conversation.js';
import { SubmissionListener } from '../../../src/emails/submission/submission-listener.js';
import { SubmissionMetrics } from '../../../src/emails/submission/submission-metrics.js';
import { selfSignedIdentity } from '../../../src/emails/submission/submission-tls.js';
import { eventually } from '../../support/eventually.js';

const CONNECTIONS = 20;

describe('connections that end before the greeting', () => {
  const limits = new SubmissionLimits();
  const parts = { metrics: new SubmissionMetrics(new Registry()), logger: pino({ level: 'silent' }) };
  const listener = new SubmissionListener(
    parts as unknown as SubmissionParts,
    { host: '127.0.0.1', port: 0, setting: 'SUBMISSION_PORT', name: 'mail.example' },
    limits,
  );
  beforeAll(async () => listener.listen(await selfSignedIdentity()));
  afterAll(() => listener.close());

  const leave: Record<string, (socket: Socket) => unknown> = {
    'close at once': (socket) => socket.end(),
    'are reset': (socket) => socket.resetAndDestroy(),
    'send something and are closed': (socket) => socket.end('EHLO client\r\n'),
  };
  it.each(Object.entries(leave))('leave nothing behind when they %s', async (_, end) => {
    const closed = Array.from({ length: CONNECTIONS }, async () => {
      const socket = connect(listener.port, '127.0.0.1').on('error', () => undefined);
      await once(socket, 'connect');
      const closing = once(socket.resume(), 'close');
      await eventually(() => limits.size > 0);
      end(socket);
      await closing;
    });
    await Promise.all(closed);
    await eventually(() => limits.size === 0);
  });
});

describe('the name in the greeting', () => {
  const greetingWith = async (names: readonly string[]): Promise<string> => {
    const parts = { metrics: new SubmissionMetrics(new Registry()), logger: pino({ level: 'silent' }) };
    const address = { host: '127.0.0.1', port: 0, setting: 'SUBMISSION_PORT', name: 'mail.example' };
    const listener = new SubmissionListener(parts as unknown as SubmissionParts, address);
    await listener.listen(await selfSignedIdentity(names));
    const socket = connect(listener.port, '127.0.0.1');
    const [greeting] = (await once(socket, 'data')) as [Buffer];
    socket.destroy();
    await listener.close();
    return greeting.toString();
  };

  it.each([
    ['is that of the certificate', ['smtp.acme.example', 'other.example'], 'smtp.acme.example'],
    ['is not a pattern', ['*.acme.example', 'smtp.acme.example'], 'smtp.acme.example'],
    ['is that of the service if the certificate has none', ['*.acme.example'], 'mail.example'],
  ])('%s', async (_, names, expected) => {
    expect(await greetingWith(names)).toBe(`220 ${expected} ESMTP Mailbeacon\r\n`);
  });
});
