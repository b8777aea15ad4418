import { execFileSync } from 'node:child_process';
import { mkdtemp, readdir, readFile, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { newEncryptionKey } from '../../src/platform/encryption/encryption-keys.js';
import { freePort } from '../../src/embedded/free-port.js';
import { becomesReady, Program } from '../support/program.js';
import { createTestDatabase, createTestRedis, type TestDatabase } from '../support/services.js';
import { SmtpStub } from '../support/smtp-stub.js';

/** The content of the image, which can also be installed on hosts without containers. */
let folder: string;
let database: TestDatabase;
let mailServer: SmtpStub;
let program: Program;
let environment: Record<string, string>;
let address: string;
let operators: string;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'mailbeacon-test-'));
  execFileSync(process.execPath, ['scripts/assemble.mjs', folder]);
  database = await createTestDatabase();
  mailServer = await SmtpStub.listen();
  const [port, operatorPort] = [String(await freePort()), String(await freePort())];
  environment = {
    DATABASE_URL: database.url,
    REDIS_URL: (await createTestRedis()).url,
    SMTP_URL: mailServer.url,
    SPOOL_DIRECTORY: join(folder, 'spool'),
    HOST: '127.0.0.1',
    PORT: port,
    OPERATOR_PORT: operatorPort,
    OPERATOR_PASSWORD: 'password-of-operators',
    BASE_URL: 'http://track.test',
    ENCRYPTION_KEYS: newEncryptionKey('test'),
    DRAIN_DELAY_MS: '0',
    ROLES: 'api,tracking,worker,flusher',
  };
  address = `http://127.0.0.1:${port}`;
  operators = `http://127.0.0.1:${operatorPort}`;
  program = Program.startIn(folder, 'roles/main.js', environment);
  await becomesReady(address, program);
});
afterAll(async () => {
  await program?.end();
  await mailServer?.close();
  await database?.drop();
  await rm(folder, { recursive: true, force: true });
});

describe('the assembled folder', () => {
  it('holds no development package, and less than 40 MB', async () => {
    const lock = JSON.parse(await readFile('package-lock.json', 'utf8')) as { packages: Record<string, Locked> };
    const entries = await readdir(folder, { recursive: true, withFileTypes: true });
    const files = entries.filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath, entry.name));
    const packages = new Set(files.map((file) => /node_modules\/(?:@[^/]+\/)?[^/]+/.exec(file)?.[0] ?? ''));
    expect([...packages].filter((name) => lock.packages[name]?.dev)).toEqual([]);
    expect(packages).toContain('node_modules/piscina');
    const sizes = await Promise.all(files.map(async (file) => (await stat(file)).size));
    expect(sizes.reduce((total, size) => total + size)).toBeLessThan(40e6);
  });

  it('sends MJML by its command line and its processes', async () => {
    const command = Program.startIn(folder, 'cli/main.js', environment, 'org', 'create', '--name', 'Acme');
    await command.ended();
    const { apiKey } = JSON.parse(command.output) as { apiKey: string };
    const body = {
      from: 'Ada <ada@acme.example>',
      to: 'reader@example.com',
      subject: 'MJML',
      htmlContent:
        '<mjml><mj-body><mj-section><mj-column><mj-text>Hello</mj-text></mj-column></mj-section></mj-body></mjml>',
    };
    const headers = { 'content-type': 'application/json', 'x-api-key': apiKey };
    const response = await fetch(`${address}/api/send`, { method: 'POST', headers, body: JSON.stringify(body) }).catch(
      (error: unknown) => {
        throw new Error(`The program printed: ${program.output.slice(-2_000)}`, { cause: error });
      },
    );
    expect([response.status, await response.json()]).toEqual([200, expect.objectContaining({ subject: 'MJML' })]);
    const message = mailServer.messages.find(({ recipients }) => recipients.includes('reader@example.com'));
    expect(message?.content.toString()).not.toContain('mj-text');
  });

  it.each(['/docs', '/docs/swagger-ui.css', '/docs/swagger-ui-bundle.js', '/openapi.json', '/sign-in'])(
    'serves %s',
    async (path) => {
      const response = await fetch(address + path);
      expect(response.status).toBe(200);
      expect((await response.arrayBuffer()).byteLength).toBeGreaterThan(300);
    },
  );

  it('serves the queue board with its script to operators', async () => {
    const authorization = `Basic ${btoa(`operator:${environment['OPERATOR_PASSWORD']}`)}`;
    const page = await fetch(`${operators}/queues`, { headers: { authorization } });
    expect(page.status).toBe(200);
    const script = /src="([^"]+\.js)"/.exec(await page.text())![1]!;
    const response = await fetch(new URL(script, `${operators}/queues/`), { headers: { authorization } });
    expect(response.status).toBe(200);
  });
});

interface Locked {
  readonly dev?: boolean;
}
