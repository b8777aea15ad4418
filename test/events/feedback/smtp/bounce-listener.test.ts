import { connect, type Socket } from 'node:net';
import { BounceIntake } from '../../../../src/events/feedback/smtp/bounce-intake.js';
import { BounceListener } from '../../../../src/events/feedback/smtp/bounce-listener.js';
import { BounceMetrics } from '../../../../src/events/feedback/smtp/bounce-metrics.js';
import type { StreamEvent } from '../../../../src/events/stream/stream-event.js';
import { generateEmailTrackingId } from '../../../../src/links/email-tracking-id.js';
import { signReturnPath } from '../../../../src/links/return-path.js';
import { pino } from 'pino';
import { Registry } from 'prom-client';
import { keysWith } from '../../../links/keys.js';
import { deliveryStatus, feedbackReport, mail, REPORT_FIELDS } from './written-notifications.js';

const DOMAIN = 'bounces.example.com';
const keys = keysWith(1);
const emailTrackingId = generateEmailTrackingId(keys, new Uint8Array(12).fill(3));
const address = signReturnPath(keys, { emailTrackingId, position: 0 }, DOMAIN);
const GONE = 'Final-Recipient: rfc822; reader@example.net\nAction: failed\nStatus: 5.1.1';
const NOW = Date.parse(REPORT_FIELDS.Date) + 1_000;

/** A mail server that sends the given lines and reads each reply. */
class Client {
  private text = '';
  private wake = (): void => undefined;

  private constructor(readonly socket: Socket) {
    socket.setEncoding('latin1');
    socket.on('data', (chunk: string) => {
      this.text += chunk;
      this.wake();
    });
    socket.on('close', () => this.wake());
    socket.on('error', () => this.wake());
  }

  static async open(port: number): Promise<Client> {
    const client = new Client(connect(port, '127.0.0.1'));
    client.greeting = await client.reply();
    if (client.greeting.startsWith('220')) await client.command('EHLO mx.example.net');
    return client;
  }

  greeting = '';

  async command(line: string): Promise<string> {
    this.socket.write(`${line}\r\n`, 'latin1');
    return this.reply();
  }

  /** Delivers a message; returns the last reply. */
  async send(raw: Buffer, to: string = address, from = ''): Promise<string> {
    await this.command(`MAIL FROM:<${from}>`);
    const refusal = await this.command(`RCPT TO:<${to}>`);
    if (!refusal.startsWith('250')) return refusal;
    await this.command('DATA');
    return this.command(`${raw.toString('latin1').replaceAll('\r\n.', '\r\n..')}\r\n.`);
  }

  /** The next reply; empty when the server has closed the connection. */
  private async reply(): Promise<string> {
    for (;;) {
      const [whole] = /^(?:\d{3}-.*\r\n)*\d{3} .*\r\n/.exec(this.text) ?? [];
      if (whole !== undefined) {
        this.text = this.text.slice(whole.length);
        return whole.trimEnd();
      }
      if (this.socket.destroyed) return '';
      await new Promise<void>((resolve) => (this.wake = resolve));
    }
  }
}

describe('the SMTP listener for bounces', () => {
  const events: StreamEvent[] = [];
  let append: (event: StreamEvent) => Promise<void>;
  let registry: Registry;
  let listener: BounceListener;
  let clients: Client[];
  beforeEach(async () => {
    events.splice(0);
    append = (event) => Promise.resolve(void events.push(event));
    registry = new Registry();
    clients = [];
    const clock = { now: () => NOW };
    const metrics = new BounceMetrics(registry);
    const intake = new BounceIntake(() => keys, DOMAIN, { append: (event) => append(event) }, metrics, clock);
    const options = { host: '127.0.0.1', port: 0, name: DOMAIN };
    listener = new BounceListener(intake, metrics, clock, pino({ level: 'silent' }), options);
    await listener.listen();
  });
  afterEach(async () => {
    for (const { socket } of clients) socket.destroy();
    await listener.close();
  });

  const open = async (): Promise<Client> => {
    const client = await Client.open(listener.port);
    clients.push(client);
    return client;
  };

  it('accepts a bounce, and responds 250 once its event is durable', async () => {
    let store = (): void => undefined;
    const stored = new Promise<void>((resolve) => (store = resolve));
    let onAppend = (): void => undefined;
    const appended = new Promise<void>((resolve) => (onAppend = resolve));
    append = (event) => (events.push(event), onAppend(), stored);
    const reply = (await open()).send(deliveryStatus(GONE));
    await appended;
    const first = await Promise.race([reply, new Promise((resolve) => setImmediate(resolve, 'nothing yet'))]);
    expect(first).toBe('nothing yet');
    store();
    expect(await reply).toMatch(/^250 2\.0\.0/);
    expect(events).toMatchObject([{ email: emailTrackingId, recipient: 0, fact: 'bounced', bounce: 'hard' }]);
  });

  it('responds 451 when the event cannot be stored, and accepts the repetition', async () => {
    append = () => Promise.reject(new Error('the disk is full'));
    const client = await open();
    expect(await client.send(deliveryStatus(GONE))).toMatch(/^451 4\.3\.0/);
    append = (event) => Promise.resolve(void events.push(event));
    expect(await client.send(deliveryStatus(GONE))).toMatch(/^250/);
    expect(events).toHaveLength(1);
  });

  it.each([
    ['a wrong token', address.replace(/.@/, (end) => (end === 'a@' ? 'b@' : 'a@'))],
    ['no token', `postmaster@${DOMAIN}`],
    ['another domain', address.replace(DOMAIN, 'example.org')],
  ])('refuses %s at RCPT: 550 5.1.1, before DATA', async (_, to) => {
    const client = await open();
    expect(await client.send(deliveryStatus(GONE), to)).toMatch(/^550 5\.1\.1 /);
    expect(await client.command('DATA')).toMatch(/^503/);
    expect(events).toEqual([]);
    expect(await registry.metrics()).toContain('mailbeacon_bounce_refusals_total{reason="unknown-recipient"} 1');
  });

  it('reads the token ignoring case', async () => {
    expect(await (await open()).send(deliveryStatus(GONE), address.toUpperCase())).toMatch(/^250/);
    expect(events).toHaveLength(1);
  });

  it('gives a repeated notification the same ID', async () => {
    const client = await open();
    await client.send(deliveryStatus(GONE));
    await client.send(deliveryStatus(GONE));
    expect(new Set(events.map(({ id }) => id)).size).toBe(1);
  });

  it('finds the email of an abuse report that arrives at the address for all of them', async () => {
    const report = feedbackReport(`Feedback-Type: abuse\nOriginal-Mail-From: <${address}>`);
    const client = await open();
    expect(await client.send(report, `fbl@${DOMAIN}`, 'fbl@example.org')).toMatch(/^250/);
    expect(events).toMatchObject([{ email: emailTrackingId, recipient: 0, fact: 'complained' }]);
    expect(await client.send(mail({ To: address }, 'spam'), `fbl@${DOMAIN}`)).toMatch(/^250/);
    expect(events).toHaveLength(1);
  });

  it('accepts messages without a report, and stores nothing', async () => {
    const client = await open();
    const vacation = mail({ From: 'ada@example.com', 'Auto-Submitted': 'auto-replied' }, 'I am away');
    for (const raw of [vacation, Buffer.from(''), Buffer.from('a: b\r\n'.repeat(40_000))]) {
      expect(await client.send(raw)).toMatch(/^250/);
    }
    expect(events).toEqual([]);
  });

  it('refuses more than a megabyte, announced or not', async () => {
    const client = await open();
    expect(await client.command('MAIL FROM:<> SIZE=2000000')).toMatch(/^552/);
    expect(await client.send(Buffer.concat([deliveryStatus(GONE), Buffer.alloc(1_100_000, 'x')]))).toMatch(/^552/);
    expect(events).toEqual([]);
  });

  it('offers no authentication', async () => {
    expect(await (await open()).command('AUTH PLAIN AGEAYg==')).toMatch(/^50[0-9]/);
  });

  it('limits a client that opens many connections, tries many addresses or floods a return path, and affects no other', async () => {
    const greedy = await Promise.all(Array.from({ length: 21 }, open));
    expect(greedy.filter(({ greeting }) => greeting.startsWith('421'))).toHaveLength(1);
    const [client] = greedy.filter(({ greeting }) => greeting.startsWith('220'));
    const replies: string[] = [];
    for (let sent = 0; sent < 22; sent++) replies.push((await client!.send(deliveryStatus(GONE))).slice(0, 3));
    expect(replies).toEqual([...Array<string>(20).fill('250'), '450', '450']);
    const other = signReturnPath(keys, { emailTrackingId, position: 1 }, DOMAIN);
    expect(await client!.send(deliveryStatus(GONE), other)).toMatch(/^250/);
    await client!.command('MAIL FROM:<>');
    let guesses = 0;
    while ((await client!.command(`RCPT TO:<b+${guesses}@${DOMAIN}>`)).startsWith('550')) guesses++;
    expect(guesses).toBe(60);
  });

  it('finishes the current message when it stops', async () => {
    const client = await open();
    await client.command('MAIL FROM:<>');
    await client.command(`RCPT TO:<${address}>`);
    await client.command('DATA');
    const closed = listener.close();
    expect(await client.command(`${deliveryStatus(GONE).toString()}\r\n.`)).toMatch(/^250/);
    client.socket.end();
    await closed;
    expect(events).toHaveLength(1);
  });
});
