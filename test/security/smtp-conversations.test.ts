import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { connect as connectTls } from 'node:tls';
import { addGuard, changeGuard, suspendOrganization } from '../../src/organizations/guard/guard-change.js';
import { GUARD_STATES } from '../../src/organizations/guard/guard-status.js';
import { eventually } from '../support/eventually.js';
import { TestService, type TestClient } from '../support/service.js';
import { SubmissionClient } from '../support/submission-client.js';

/** A client that writes lines itself. */
class RawClient {
  private received = '';
  readonly closed: Promise<unknown>;

  private constructor(private readonly socket: Socket) {
    socket.on('error', () => undefined);
    socket.on('data', (data: Buffer) => (this.received += data.toString()));
    this.closed = once(socket, 'close');
  }

  static async connect(service: TestService): Promise<RawClient> {
    const client = new RawClient(connect(service.settings.SUBMISSION_PORT!, '127.0.0.1'));
    await client.reply();
    return client;
  }

  async withTls(): Promise<RawClient> {
    expect(await this.command('STARTTLS')).toMatch(/^220 /);
    this.socket.removeAllListeners('data');
    const secure = connectTls({ socket: this.socket, rejectUnauthorized: false });
    await once(secure, 'secureConnect');
    const client = new RawClient(secure);
    expect(await client.command('EHLO client')).toMatch(/AUTH PLAIN LOGIN/);
    return client;
  }

  async login(key: string): Promise<string> {
    return this.command(`AUTH PLAIN ${Buffer.from(`\0anything\0${key}`).toString('base64')}`);
  }

  /** Sends a line, and returns the whole reply. */
  async command(line: string): Promise<string> {
    this.socket.write(`${line}\r\n`);
    return this.reply();
  }

  write(bytes: string | Buffer): boolean {
    return this.socket.write(bytes);
  }

  async reply(): Promise<string> {
    const reply = await eventually(() => /^(?:\d{3}-.*\r\n)*\d{3} .*\r\n/.exec(this.received)?.[0]);
    this.received = this.received.slice(reply.length);
    return reply;
  }

  end(): void {
    this.socket.destroy();
  }
}

const message = { from: 'ada@acme.example', to: 'reader@example.com', subject: 'x', text: 'x' };

let service: TestService;
let client: TestClient;
beforeAll(async () => {
  service = await TestService.start({ environment: { SUBMISSION_PORT: '0', RATE_LIMIT_PER_MINUTE: '30' } });
});
afterAll(() => service?.stop());
beforeEach(async () => void (client = await service.organization()));

async function loggedIn(): Promise<RawClient> {
  const plain = await RawClient.connect(service);
  expect(await plain.command('EHLO client')).not.toMatch(/AUTH/);
  const secure = await plain.withTls();
  expect(await secure.login(client.apiKey)).toMatch(/^235 /);
  return secure;
}

describe('a conversation of the SMTP submission', () => {
  it('takes no key without TLS, and nothing without a key', async () => {
    const plain = await RawClient.connect(service);
    await plain.command('EHLO client');
    expect(await plain.login(client.apiKey)).toMatch(/^538 5\.7\.11 /);
    expect(await plain.command('MAIL FROM:<a@b.example>')).toMatch(/^530 5\.7\.0 Must issue a STARTTLS command first/);
    plain.end();
    const secure = await (await RawClient.connect(service)).withTls();
    for (const command of ['MAIL FROM:<a@b.example>', 'RCPT TO:<a@b.example>', 'DATA', 'VRFY ada', 'EXPN all'])
      expect(await secure.command(command)).toMatch(/^(5\d\d|252) /);
    for (const key of ['', 'x', 'mb_x', '\0\0', client.apiKey.slice(0, -1)]) {
      expect(await secure.login(key)).toMatch(/^(535|500|501) /);
    }
    secure.end();
  });

  it('ignores commands that were sent before TLS', async () => {
    const plain = await RawClient.connect(service);
    await plain.command('EHLO client');
    plain.write('STARTTLS\r\nMAIL FROM:<evil@b.example>\r\nRCPT TO:<c@d.example>\r\n');
    expect(await plain.reply()).toMatch(/^220 /);
    plain.end();
    await plain.closed;
    const { body } = await client.get<{ emails: unknown[] }>('/api/emails');
    expect(body.emails).toEqual([]);
  });

  it('ends one message at its final dot: nothing smuggles a second one', async () => {
    const secure = await loggedIn();
    await secure.command('MAIL FROM:<a@b.example>');
    await secure.command('RCPT TO:<reader@example.com>');
    expect(await secure.command('DATA')).toMatch(/^354 /);
    secure.write('From: a@b.example\r\nSubject: x\r\n\r\nfirst\n.\nMAIL FROM:<evil@b.example>\r\n..\r\nend\r\n.\r\n');
    expect(await secure.reply()).toMatch(/^250 2\.0\.0 Queued as /);
    expect(await secure.command('NOOP')).toMatch(/^250 /);
    const { body } = await client.get<{ emails: { id: string }[] }>('/api/emails');
    expect(body.emails).toHaveLength(1);
    const { content } = await eventually(() =>
      service.mailServer.messages.find(({ emailId }) => emailId === body.emails[0]!.id),
    );
    expect(content.toString()).toContain('MAIL FROM:<evil@b.example>');
    secure.end();
  });

  it('notices on an open connection that its key was revoked, or its organization suspended', async () => {
    const { body } = await client.post<{ id: string; key: string }>('/api/keys', { name: 'SMTP' });
    const secure = await (await RawClient.connect(service)).withTls();
    expect(await secure.login(body.key)).toMatch(/^235 /);
    expect(await secure.command('MAIL FROM:<a@b.example>')).toMatch(/^250 /);
    await secure.command('RSET');
    await client.delete(`/api/keys/${body.id}`);
    await eventually(async () => {
      const reply = await secure.command('MAIL FROM:<a@b.example>');
      if (reply.startsWith('250')) await secure.command('RSET');
      return /^535 5\.7\.8 /.test(reply);
    });
    secure.end();
    const other = await loggedIn();
    await service.database.transaction((sql) => suspendOrganization(sql, client.organizationId, 'spam'));
    await eventually(async () => {
      const reply = await other.command('MAIL FROM:<a@b.example>');
      if (reply.startsWith('250')) await other.command('RSET');
      return /^550 5\.7\.1 .*spam/.test(reply);
    });
    other.end();
  });

  it('takes no login while the sending of its organization is paused', async () => {
    const { organizationId } = client;
    await service.database.transaction(async (sql) => {
      await addGuard(sql, organizationId);
      await changeGuard(sql, { organizationId, from: GUARD_STATES, to: 'paused', reason: 'too many bounces' });
    });
    const secure = await (await RawClient.connect(service)).withTls();
    expect(await secure.login(client.apiKey)).toMatch(/^550 5\.7\.1 Sending is paused: too many bounces/);
    secure.end();
  });

  it('counts messages against the rate limit of its organization', async () => {
    const secure = await loggedIn();
    const replies: string[] = [];
    for (let sent = 0; sent < 60; sent++) {
      replies.push(await secure.command('MAIL FROM:<a@b.example>'));
      if (replies.at(-1)!.startsWith('250')) await secure.command('RSET');
    }
    expect(replies[0]).toMatch(/^250 /);
    expect(replies.at(-1)).toMatch(/^450 4\.7\.1 Too many requests/);
    // Others are not affected.
    client = await service.organization();
    expect(await new SubmissionClient(service, client).send(message)).toMatchObject({ code: 250 });
    secure.end();
  });

  it('allows 50 connections from one address, and frees their places', async () => {
    const open = await Promise.all(Array.from({ length: 50 }, () => RawClient.connect(service)));
    const refused = new SubmissionClient(service, client);
    expect(await refused.send(message)).toMatchObject({ code: 421 });
    for (const one of open) one.end();
    await eventually(async () => (await refused.send(message)).code === 250);
  });

  it('does not start at a port that is taken, and says which setting to change', async () => {
    const environment = { ROLES: 'smtp', SUBMISSION_PORT: String(service.settings.SUBMISSION_PORT) };
    await expect(TestService.start({ environment, beside: service })).rejects.toThrow(
      /^Cannot listen on port \d+ of 127\.0\.0\.1 \(EADDRINUSE\): set SUBMISSION_PORT to a free one$/,
    );
  });

  it('takes letters beyond ASCII in a header and a domain, and refuses those before the @ of one recipient', async () => {
    const secure = await loggedIn();
    // As Postfix and curl send them.
    expect(await secure.command('MAIL FROM:<ada@acme.example> SIZE=71 SMTPUTF8')).toMatch(/^250 /);
    expect(await secure.command('RCPT TO:<jörg@example.com>')).toMatch(/^553 5\.6\.7 /);
    expect(await secure.command('RCPT TO:<joerg@müller.example>')).toMatch(/^250 /);
    expect(await secure.command('RCPT TO:<joerg@müller>')).toMatch(/^553 5\.1\.3 /);
    expect(await secure.command('DATA')).toMatch(/^354 /);
    secure.write('From: Ada Müller <ada@acme.example>\r\nSubject: Grüße\r\n\r\nHi\r\n.\r\n');
    expect(await secure.reply()).toMatch(/^250 2\.0\.0 Queued as /);
    secure.end();
  });

  it('takes at most 100 recipients', async () => {
    const to = Array.from({ length: 101 }, (_, at) => `reader-${at}@example.com`);
    const reply = await new SubmissionClient(service, client).send({ ...message, to });
    expect(reply.code).toBe(250);
    expect(reply.rejected).toEqual([{ recipient: 'reader-100@example.com', reply: expect.stringMatching(/^452 /) }]);
  });

  it('holds the bytes of a message only while it is under way', async () => {
    const secure = await loggedIn();
    const held = async (): Promise<number> => {
      const { values } = await service.metrics.getSingleMetric('mailbeacon_http_body_bytes')!.get();
      return values.find(({ labels }) => labels['kind'] === 'held')!.value;
    };
    await secure.command('MAIL FROM:<a@b.example>');
    await secure.command('RCPT TO:<reader@example.com>');
    await secure.command('DATA');
    secure.write(`From: a@b.example\r\nSubject: x\r\n\r\n${'x'.repeat(2_000_000)}\r\n`);
    await eventually(async () => (await held()) > 1_900_000);
    secure.end();
    await eventually(async () => (await held()) === 0);
  });
});
