import { jest } from '@jest/globals';
import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { request } from 'node:http';
import { connect, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { generateEmailTrackingId } from '../../src/links/email-tracking-id.js';
import { loadSigningKeys } from '../../src/links/signing-key-store.js';
import { signUnsubscription } from '../../src/links/unsubscribe-token.js';
import { newEncryptionKey } from '../../src/platform/encryption/encryption-keys.js';
import { freePort } from '../../src/embedded/free-port.js';
import { eventually } from '../support/eventually.js';
import { becomesReady, Program, runCli } from '../support/program.js';
import { createTestRedis } from '../support/services.js';
import { openTestDatabase, type OpenTestDatabase } from '../support/test-database.js';

/*
 * Tests that processes with little memory survive: processes as deployed, with heaps of 128 and 256 MB, receive bodies
 * that would take several times as much once parsed.
 */

const OBJECTS = Buffer.from(`{"a":[${'{},'.repeat(3_400_000)}{}]}`.slice(0, 9_700_000));
const TEXT = Buffer.from(
  JSON.stringify({ to: 'a@example.com', subject: 'S', htmlContent: `<p>${'é'.repeat(2_500_000)}</p>` }),
);
const PROBE = join(import.meta.dirname, '..', 'support', 'health-probe.mjs');
const LONGEST_PROBE_MS = 500;

jest.setTimeout(90_000);

let database: OpenTestDatabase;
let directory: string;
let environment: Record<string, string>;

beforeAll(async () => {
  database = await openTestDatabase(1);
  directory = await mkdtemp(join(tmpdir(), 'mailbeacon-test-'));
  environment = {
    DATABASE_URL: database.url,
    REDIS_URL: (await createTestRedis()).url,
    SPOOL_DIRECTORY: directory,
    HOST: '127.0.0.1',
    OPERATOR_PORT: '0',
    BASE_URL: 'http://track.test',
    ENCRYPTION_KEYS: newEncryptionKey('test'),
    LOG_LEVEL: 'error',
  };
});
afterAll(async () => {
  await database?.close();
  await rm(directory, { recursive: true, force: true });
});

/** A process under attack, and its health during the attack. */
class Target {
  /** The latest body of a response, to show why a valid request was refused. */
  lastRefusal = '';

  private constructor(
    private readonly program: Program,
    private readonly probe: ChildProcess,
    readonly port: number,
  ) {}

  static async start(role: string, heapMegabytes: number): Promise<Target> {
    const port = await freePort();
    const program = Program.start('roles/main.js', {
      ...environment,
      ...{ ROLES: role, PORT: String(port), NODE_OPTIONS: `--max-old-space-size=${heapMegabytes}` },
    });
    const address = `http://127.0.0.1:${port}`;
    await becomesReady(address, program);
    const stdio = ['pipe', 'pipe', 'inherit'] as const;
    return new Target(
      program,
      spawn(process.execPath, [PROBE, address, String(program.pid)], { stdio: [...stdio] }),
      port,
    );
  }

  /** Sends the bodies all at once, and resolves with the status of each; 0 if the connection was closed. */
  attack(count: number, path: string, body: Buffer, apiKey = ''): Promise<number[]> {
    return Promise.all(Array.from({ length: count }, () => this.post(path, body, apiKey)));
  }

  /** The longest wait of a health check, in milliseconds of processor time; NaN if one failed. */
  async longestProbe(): Promise<number> {
    let printed = '';
    this.probe.stdout!.on('data', (data) => (printed += String(data)));
    this.probe.stdin!.end();
    await once(this.probe, 'close');
    expect(this.program.output).not.toMatch(/FATAL|heap limit/);
    return printed === '' ? NaN : Number(printed);
  }

  async end(): Promise<void> {
    this.probe.kill();
    await this.program.end();
  }

  private post(path: string, body: Buffer, apiKey: string): Promise<number> {
    return new Promise((resolve) => {
      const headers = { 'content-type': 'application/json', 'content-length': body.length, 'x-api-key': apiKey };
      const posted = request({ port: this.port, host: '127.0.0.1', method: 'POST', path, headers, agent: false });
      posted.on('response', (response) => {
        const end = (): void => {
          resolve(response.statusCode!);
          posted.destroy();
        };
        response.on('data', (chunk) => (this.lastRefusal = String(chunk)));
        if (response.statusCode === 400) response.once('end', end).once('close', end);
        else end();
      });
      posted.on('error', () => resolve(0));
      posted.end(body);
    });
  }
}

async function unfinished(port: number, headers: string[], bytes: Buffer, path = '/api/send'): Promise<Socket> {
  const socket = connect(port, '127.0.0.1');
  socket.on('error', () => {}).resume();
  await once(socket, 'connect');
  const head = [`POST ${path} HTTP/1.1`, 'host: x', 'content-type: application/json', ...headers];
  socket.write([...head, `content-length: ${bytes.length + 1}`, '', ''].join('\r\n'));
  socket.write(bytes);
  return socket;
}

/** The path of an unsubscribe page with a valid token. */
async function unsubscribePath(): Promise<string> {
  const keys = await loadSigningKeys(database.database);
  const emailTrackingId = generateEmailTrackingId(keys, new Uint8Array(12));
  const sender = { address: 'news@acme.example' };
  return `/api/t/u/${signUnsubscription(keys, { emailTrackingId, sender, recipient: 'reader@example.com' })}`;
}

it('a tracking process with a heap of 128 MB survives unexpected bodies', async () => {
  const target = await Target.start('tracking', 128);
  try {
    const page = await unsubscribePath();
    for (const path of ['/nowhere', '/api/send', '/api/t/o/x', '/api/t/u/x', page]) {
      const statuses = await target.attack(6, path, OBJECTS);
      expect(statuses.filter((status) => ![0, 404, 405, 413].includes(status))).toEqual([]);
    }
    const slow = Array.from({ length: 400 }, () => unfinished(target.port, [], OBJECTS.subarray(0, 4_000), page));
    const sockets = await Promise.all(slow);
    expect((await target.attack(1, page, Buffer.from('List-Unsubscribe=One-Click')))[0]).toBe(200);
    for (const socket of sockets) socket.destroy();
    expect(await target.longestProbe()).toBeLessThan(LONGEST_PROBE_MS);
  } finally {
    await target.end();
  }
});

describe('an API process with a heap of 256 MB', () => {
  let target: Target;
  let apiKey: string;
  beforeEach(async () => {
    target = await Target.start('api', 256);
    const { output } = await runCli(environment, 'org', 'create', '--name', 'Hostile');
    ({ apiKey } = JSON.parse(output) as { apiKey: string });
  });
  afterEach(() => target?.end());

  it('survives bodies of clients without a key', async () => {
    for (const path of ['/nowhere', '/api/send']) {
      const statuses = await target.attack(6, path, OBJECTS);
      expect(statuses.filter((status) => ![0, 401, 404].includes(status))).toEqual([]);
    }
    const sockets = await Promise.all(Array.from({ length: 40 }, () => unfinished(target.port, [], OBJECTS)));
    expect(await target.longestProbe()).toBeLessThan(LONGEST_PROBE_MS);
    for (const socket of sockets) socket.destroy();
  });

  it('survives bodies of its clients', async () => {
    for (const [path, expected] of [
      ['/api/send', [400]],
      ['/api/campaigns', [413]],
    ] as const) {
      const statuses = await target.attack(6, path, OBJECTS, apiKey);
      expect(statuses.filter((status) => ![0, 429, 503, ...expected].includes(status))).toEqual([]);
    }
    const emails = await target.attack(12, '/api/emails', TEXT, apiKey);
    const unexpected = emails.filter((status) => ![0, 200, 429, 503].includes(status));
    expect(unexpected.map((status) => ({ status, body: target.lastRefusal }))).toEqual([]);
    expect(emails).toContain(200);
    const headers = [`x-api-key: ${apiKey}`];
    const sockets = await Promise.all(Array.from({ length: 40 }, () => unfinished(target.port, headers, TEXT)));
    await eventually(async () => (await target.attack(1, '/api/send', TEXT, apiKey))[0] !== 200);
    for (const socket of sockets) socket.destroy();
    await eventually(async () => (await target.attack(1, '/api/emails', TEXT, apiKey))[0] === 200);
    expect(await target.longestProbe()).toBeLessThan(LONGEST_PROBE_MS);
  });
});
