import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { newEncryptionKey } from '../../src/platform/encryption/encryption-keys.js';
import { freePort } from '../../src/embedded/free-port.js';
import { eventually } from '../support/eventually.js';
import { PrivateRedis } from '../support/private-redis.js';
import { becomesReady, Program, runCli } from '../support/program.js';
import { createTestDatabase, type TestDatabase } from '../support/services.js';
import { SmtpStub } from '../support/smtp-stub.js';
import { TEST_AUTHORITY, TlsProxy } from '../support/tls-proxy.js';

const PASSWORD = 'p@ss/word:1';

let database: TestDatabase;
let mailServer: SmtpStub;
let spool: string;
beforeAll(async () => {
  spool = await mkdtemp(join(tmpdir(), 'mailbeacon-test-'));
  database = await createTestDatabase();
  mailServer = await SmtpStub.listen();
});
afterAll(async () => {
  await mailServer?.close();
  await database?.drop();
  await rm(spool, { recursive: true, force: true });
});

/** Sends an email through a separate process, clicks its link and waits for the count. */
async function carryAnEmail(services: Record<string, string>): Promise<void> {
  const port = String(await freePort());
  const address = `http://127.0.0.1:${port}`;
  const environment = {
    SMTP_URL: mailServer.url,
    SPOOL_DIRECTORY: spool,
    HOST: '127.0.0.1',
    PORT: port,
    BASE_URL: address,
    ENCRYPTION_KEYS: newEncryptionKey('test'),
    ...services,
  };
  const program = Program.start('roles/main.js', environment);
  try {
    await becomesReady(address, program);
    const { output } = await runCli(environment, 'org', 'create', '--name', 'Acme');
    const { apiKey } = JSON.parse(output) as { apiKey: string };
    const headers = { 'content-type': 'application/json', 'x-api-key': apiKey };
    const body = { from: 'a@b.co', to: 'c@d.co', subject: 's', htmlContent: '<a href="https://e.co">x</a>' };
    const response = await fetch(`${address}/api/send`, { method: 'POST', headers, body: JSON.stringify(body) });
    const { emailTrackingId, links } = (await response.json()) as {
      emailTrackingId: string;
      links: { trackingUrl: string }[];
    };
    expect(response.status).toBe(200);
    await fetch(links[0]!.trackingUrl, { redirect: 'manual' });
    await eventually(async () => {
      const email = await fetch(`${address}/api/emails/${emailTrackingId}`, { headers });
      return ((await email.json()) as { clicks: number }).clicks === 1;
    });
  } finally {
    await program.end();
  }
}

describe('services that are secured', () => {
  it('connects to a Redis with a password and a Postgres, both by TLS, and verifies their certificates', async () => {
    const redis = await PrivateRedis.start('--requirepass', PASSWORD);
    const redisProxy = await TlsProxy.before(new URL(redis.url), 'none');
    const postgresProxy = await TlsProxy.before(new URL(database.url), 'postgres');
    try {
      const securedDatabase = new URL(database.url);
      securedDatabase.hostname = '127.0.0.1';
      securedDatabase.port = String(postgresProxy.port);
      securedDatabase.searchParams.set('sslmode', 'verify-full');
      const services = {
        DATABASE_URL: securedDatabase.href,
        REDIS_URL: `rediss://:${encodeURIComponent(PASSWORD)}@127.0.0.1:${redisProxy.port}`,
      };
      await carryAnEmail({ ...services, NODE_EXTRA_CA_CERTS: TEST_AUTHORITY });
      expect(redisProxy.secured).toBeGreaterThan(0);
      expect(postgresProxy.secured).toBeGreaterThan(0);

      const doubting = await runCli({ ...services }, 'org', 'list');
      expect(doubting.code).toBe(1);
      expect(doubting.output).toMatch(/^Postgres cannot be reached at DATABASE_URL: (UNABLE_TO|SELF_SIGNED)/);
      expect(doubting.output).not.toContain(securedDatabase.password);
    } finally {
      await redisProxy.close();
      await postgresProxy.close();
      await redis.remove();
    }
  });

  it('keeps the keys of each command in one slot of a Redis Cluster', async () => {
    const redis = await PrivateRedis.start('--cluster-enabled', 'yes');
    try {
      await redis.command('CLUSTER', 'ADDSLOTSRANGE', '0', '16383');
      await eventually(async () => String(await redis.command('CLUSTER', 'INFO')).includes('cluster_state:ok'));
      await carryAnEmail({ DATABASE_URL: database.url, REDIS_URL: redis.url });
    } finally {
      await redis.remove();
    }
  });
});
