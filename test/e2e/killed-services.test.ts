import { execFileSync } from 'node:child_process';
import { readFile, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { newEncryptionKey } from '../../src/platform/encryption/encryption-keys.js';
import { isRunning } from '../../src/embedded/server-process.js';
import { freePort } from '../../src/embedded/free-port.js';
import { eventually } from '../support/eventually.js';
import { becomesReady, Program, runCli } from '../support/program.js';
import { createTestDatabase, type TestDatabase } from '../support/services.js';
import { SmtpStub } from '../support/smtp-stub.js';
import { makeThrowAwayDirectory } from '../support/throw-away-directory.js';

const LIMIT_MS = 60_000;

let folder: string;
let database: TestDatabase;
let mailServer: SmtpStub;
let environment: Record<string, string>;
let address: string;
let program: Program;

beforeAll(async () => {
  folder = await makeThrowAwayDirectory('mailbeacon-killed-');
  execFileSync(process.execPath, ['scripts/assemble.mjs', folder]);
});
beforeEach(async () => {
  database = await createTestDatabase();
  mailServer = await SmtpStub.listen();
  const port = String(await freePort());
  address = `http://127.0.0.1:${port}`;
  // Only Redis is embedded.
  environment = {
    ...{ DATABASE_URL: database.url, SMTP_URL: mailServer.url, HOST: '127.0.0.1', PORT: port, OPERATOR_PORT: '0' },
    ...{ BASE_URL: address, ENCRYPTION_KEYS: newEncryptionKey('test') },
  };
  program = Program.startIn(folder, 'roles/main.js', environment);
  await becomesReady(address, program);
});
afterEach(async () => {
  program.signal('SIGTERM');
  await program.ended();
  await mailServer.close();
  await database.drop();
});
afterAll(() => rm(folder, { recursive: true, force: true }));

async function redisOfFolder(): Promise<{ pid: number }> {
  const text = await readFile(join(folder, '.mailbeacon', 'services.json'), 'utf8');
  return (JSON.parse(text) as [{ pid: number }])[0];
}

it('no mail or click is lost while the embedded Redis is killed again and again', async () => {
  const { output } = await runCli(environment, 'org', 'create', '--name', 'Acme', '--plan', 'unlimited');
  const { apiKey } = JSON.parse(output) as { apiKey: string };
  let [sends, clicks] = [0, 0];
  /** Returns the link of the email, if the response has the result of the delivery. */
  const send = async (): Promise<string | undefined> => {
    sends++;
    const response = await fetch(`${address}/api/send`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', 'x-api-key': apiKey },
      body: JSON.stringify({ from: 'a@b.co', to: 'c@d.co', subject: 's', htmlContent: '<a href="https://e.co">x</a>' }),
    });
    expect([200, 202]).toContain(response.status);
    return ((await response.json()) as { links?: { trackingUrl: string }[] }).links?.[0]?.trackingUrl;
  };
  const link = await eventually(send, LIMIT_MS);
  const sendAndClick = async (): Promise<void> => {
    await send();
    const click = await fetch(link, { redirect: 'manual' });
    expect(click.status).toBe(302);
    clicks++;
  };
  for (let round = 0; round < 3; round++) {
    const { pid } = await redisOfFolder();
    await sendAndClick();
    process.kill(pid, 'SIGKILL');
    await sendAndClick();
    await eventually(async () => (await redisOfFolder()).pid !== pid, LIMIT_MS);
    await sendAndClick();
  }
  await eventually(() => mailServer.messages.length === sends, LIMIT_MS);
  await eventually(async () => (await storedClicks()) === clicks, LIMIT_MS);
  expect(program.output.match(/Redis ended unexpectedly/g)).toHaveLength(3);
  expect(program.output.match(/Redis runs again/g)).toHaveLength(3);
});

it('a stop that reaches Redis first, as that of a whole unit, does not start it again', async () => {
  const { pid } = await redisOfFolder();
  process.kill(pid, 'SIGTERM');
  program.signal('SIGTERM');
  expect(await program.ended()).toBe(0);
  expect(program.output).not.toContain('Redis ended');
  expect(isRunning(pid)).toBe(false);
});

it('a Redis that cannot be started again ends the process with the reason and code 1', async () => {
  const { pid } = await redisOfFolder();
  const data = join(folder, '.mailbeacon', 'redis');
  await rename(data, `${data}.elsewhere`);
  process.kill(pid, 'SIGKILL');
  expect(await program.ended()).toBe(1);
  expect(program.output).toMatch(/"level":60.*Redis ended and cannot be started again: .* no longer exists/);
});

async function storedClicks(): Promise<number> {
  const { Client } = await import('pg');
  const client = new Client({ connectionString: database.url });
  await client.connect();
  try {
    const { rows } = await client.query(`select count(*)::int as clicks from events where type = 'clicked'`);
    return (rows[0] as { clicks: number }).clicks;
  } finally {
    await client.end();
  }
}
