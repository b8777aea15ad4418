import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { newEncryptionKey } from '../../src/platform/encryption/encryption-keys.js';
import { freePort } from '../../src/embedded/free-port.js';
import { eventually } from '../support/eventually.js';
import { becomesReady, Program, runCli } from '../support/program.js';
import { createTestDatabase, createTestRedis, type TestDatabase } from '../support/services.js';
import { SmtpStub } from '../support/smtp-stub.js';

let database: TestDatabase;
let mailServer: SmtpStub;
let spool: string;
let environment: Record<string, string>;
const programs: Program[] = [];

beforeAll(async () => {
  database = await createTestDatabase();
  mailServer = await SmtpStub.listen();
  spool = await mkdtemp(join(tmpdir(), 'mailbeacon-test-'));
  environment = {
    DATABASE_URL: database.url,
    REDIS_URL: (await createTestRedis()).url,
    SMTP_URL: mailServer.url,
    SPOOL_DIRECTORY: spool,
    HOST: '127.0.0.1',
    BASE_URL: 'http://track.test',
    ENCRYPTION_KEYS: newEncryptionKey('test'),
    DRAIN_DELAY_MS: '0',
  };
});
afterAll(async () => {
  await Promise.all(programs.map((program) => program.end()));
  await mailServer?.close();
  await database?.drop();
  await rm(spool, { recursive: true, force: true });
});

async function start(roles: string, more: Record<string, string> = {}) {
  const port = String(await freePort());
  const program = Program.start('roles/main.js', { ...environment, ROLES: roles, PORT: port, ...more });
  programs.push(program);
  return { program, address: `http://127.0.0.1:${port}` };
}

describe('processes', () => {
  it('process an email together, each with a separate role', async () => {
    const api = await start('api');
    const others = await Promise.all([start('tracking'), start('worker'), start('flusher')]);
    await Promise.all([api, ...others].map(({ address, program }) => becomesReady(address, program)));
    const { output } = await runCli(environment, 'org', 'create', '--name', 'Acme', '--plan', 'pro');
    const organization = JSON.parse(output) as { apiKey: string };
    const response = await fetch(`${api.address}/api/send`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', 'x-api-key': organization.apiKey },
      body: JSON.stringify({ from: 'a@b.co', to: 'c@d.co', subject: 's', htmlContent: '<a href="https://e.co">x</a>' }),
    });
    expect(response.status).toBe(200);
    const { links } = (await response.json()) as { links: { trackingUrl: string }[] };
    const [tracking] = others;
    const click = await fetch(tracking!.address + new URL(links[0]!.trackingUrl).pathname, { redirect: 'manual' });
    expect(click.headers.get('location')).toBe('https://e.co');
    // A role's process has no other role's routes.
    expect((await fetch(`${tracking!.address}/api/campaigns`)).status).toBe(404);
    expect((await fetch(api.address + new URL(links[0]!.trackingUrl).pathname)).status).toBe(404);
  });

  it('end with code 0 after a signal, without a timeout, and ignore a second one', async () => {
    for (const program of programs) program.signal('SIGTERM');
    for (const program of programs) program.signal('SIGTERM');
    expect(await Promise.all(programs.map((program) => program.ended()))).toEqual([0, 0, 0, 0]);
    for (const { output } of programs) expect(output).not.toContain('Shutdown timed out');
  });

  it('render dates in UTC, whatever the time zone of their host', async () => {
    const { address, program } = await start('api', { TZ: 'Asia/Tokyo' });
    await becomesReady(address, program);
    const { output } = await runCli(environment, 'org', 'create', '--name', 'Clock', '--plan', 'pro');
    const subject = '{{ "Mon, 05 Jan 2026 10:00:00 GMT" | date: "%H:%M" }}, {{ "2026-01-05 10:00" | date: "%s" }}';
    const response = await fetch(`${address}/api/templates/render`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', 'x-api-key': (JSON.parse(output) as { apiKey: string }).apiKey },
      body: JSON.stringify({ subject, htmlContent: '<p>x</p>' }),
    });
    expect(await response.json()).toMatchObject({ subject: '10:00, 1767607200' });
  });

  it('keep serving for a while after a signal to end, and report that they are not ready', async () => {
    const { program, address } = await start('api', { DRAIN_DELAY_MS: '3000' });
    await becomesReady(address, program);
    const startedAt = Date.now();
    program.signal('SIGTERM');
    await eventually(async () => (await fetch(`${address}/health/ready`)).status === 503);
    expect((await fetch(`${address}/api/campaigns`)).status).toBe(401);
    expect((await fetch(`${address}/health/live`)).status).toBe(200);
    expect(await program.ended()).toBe(0);
    expect(Date.now() - startedAt).toBeGreaterThanOrEqual(3_000);
  });

  it('without a terminal, as under nohup, outlive the one from which they were started', async () => {
    const { program, address } = await start('flusher');
    await becomesReady(address, program);
    program.signal('SIGHUP');
    expect((await fetch(`${address}/health/live`)).status).toBe(200);
    program.signal('SIGTERM');
    expect(await program.ended()).toBe(0);
  });

  it('name every wrong setting on a separate line and end with code 1', async () => {
    const { program } = await start('worker', { DELIVERY_PROVIDER: 'pigeon', AMBIGUOUS_SEND: 'perhaps' });
    expect(await program.ended()).toBe(1);
    expect(program.output.trim().split('\n')).toEqual([
      expect.stringMatching(/^DELIVERY_PROVIDER must be one of smtp, sendgrid/),
      expect.stringMatching(/^AMBIGUOUS_SEND must be one of resend, hold/),
    ]);
  });

  it('report in one line that Postgres is down or the port is in use, without showing a password', async () => {
    const unreachable = await start('api', { DATABASE_URL: 'postgres://u:hunter2@127.0.0.1:1/x' });
    expect(await unreachable.program.ended()).toBe(1);
    expect(unreachable.program.output).toBe('Postgres cannot be reached at DATABASE_URL: ECONNREFUSED\n');
    const { port } = new URL(mailServer.url);
    const taken = await start('api', { PORT: port });
    expect(await taken.program.ended()).toBe(1);
    expect(taken.program.output).toMatch(
      /Cannot listen on port \d+ of 127\.0\.0\.1 \(EADDRINUSE\): set PORT to a free one\n$/,
    );
  });

  it('refuse the schema of another build', async () => {
    const other = await createTestDatabase();
    const { Client } = await import('pg');
    const client = new Client({ connectionString: other.url });
    await client.connect();
    try {
      await client.query(
        `insert into migrations (timestamp, name) values (9999999999999, 'BreakingTheFuture9999999999999')`,
      );
      const newer = await start('api', { DATABASE_URL: other.url });
      expect(await newer.program.ended()).toBe(1);
      expect(newer.program.output).toMatch(/^The database schema is too new for this build/);
      await client.query('delete from migrations');
      const older = await start('api', { DATABASE_URL: other.url });
      expect(await older.program.ended()).toBe(1);
      expect(older.program.output).toMatch(/^The database schema is older than this build.*npm run cli -- migrate/);
    } finally {
      await client.end();
      await other.drop();
    }
  });
});

describe('the command line', () => {
  it('manages organizations and keys as JSON', async () => {
    const created = await runCli(environment, 'org', 'create', '--name', 'Beta');
    expect(created.code).toBe(0);
    const { id, plan, apiKey } = JSON.parse(created.output) as Record<string, string>;
    expect(plan).toBe('free');
    expect(apiKey).toMatch(/^mb_[\w-]{12}_[\w-]{27,}$/);
    await runCli(environment, 'org', 'set-plan', '--org', id!, '--plan', 'unlimited');
    const { output } = await runCli(environment, 'org', 'list');
    expect(JSON.parse(output)).toContainEqual(expect.objectContaining({ id, name: 'Beta', plan: 'unlimited' }));
    const key = JSON.parse((await runCli(environment, 'key', 'create', '--org', id!, '--name', 'ci')).output);
    await runCli(environment, 'key', 'revoke', '--org', id!, '--key', key.id);
    const keys = JSON.parse((await runCli(environment, 'key', 'list', '--org', id!)).output);
    expect(keys).toContainEqual(expect.objectContaining({ id: key.id, name: 'ci', revokedAt: expect.any(String) }));
    expect(JSON.stringify(keys)).not.toContain(key.key);
  });

  it('reports the error in one line', async () => {
    const complaints = await Promise.all([
      runCli(environment, 'org', 'create', '--name', 'X', '--plan', 'gold'),
      runCli(environment, 'org', 'set-plan', '--org', 'acme', '--plan', 'pro'),
      runCli(environment, 'key', 'revoke', '--org', 'acme', '--key', 'none'),
    ]);
    expect(complaints).toEqual([
      { code: 1, output: 'plan must be one of free, pro, unlimited\n' },
      { code: 1, output: 'Organization not found\n' },
      { code: 1, output: 'Organization not found\n' },
    ]);
  });
});
