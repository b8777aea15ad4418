import { once } from 'node:events';
import { createServer, type Server } from 'node:net';
import { Redis } from 'ioredis';
import { pino } from 'pino';
import { newEncryptionKey } from '../../src/platform/encryption/encryption-keys.js';
import type { Database } from '../../src/platform/database/database.js';
import { openDatabase } from '../../src/platform/database/open-database.js';
import { readSettings, type RunSettings } from '../../src/platform/config/settings.js';
import { runRoles, type RunningRoles } from '../../src/roles/run-roles.js';
import { eventually } from '../support/eventually.js';
import { createEmptyDatabase, createTestDatabase, createTestRedis } from '../support/services.js';

const logger = pino({ level: 'silent' });
const closers: (() => Promise<unknown>)[] = [];

afterEach(async () => {
  for (const close of closers.splice(0)) await close();
});

/** Settings for a database and a Redis of their own. */
async function settingsFor(
  environment: Record<string, string>,
  createDatabase = createTestDatabase,
): Promise<RunSettings> {
  const { url, drop } = await createDatabase();
  closers.unshift(drop);
  const BASE_URL = 'http://track.test';
  const shared = { BASE_URL, OPERATOR_PORT: '0', ENCRYPTION_KEYS: newEncryptionKey('test') };
  const REDIS_URL = (await createTestRedis()).url;
  return {
    ...readSettings({ ...shared, ...environment }),
    ...{ DATABASE_URL: url, REDIS_URL, HOST: '127.0.0.1', BASE_URL, PORT: Number(environment.PORT ?? 0) },
  };
}

async function run(settings: RunSettings): Promise<RunningRoles> {
  const roles = await runRoles(settings, logger);
  closers.unshift(() => roles.stop());
  return roles;
}

async function listenAnywhere(): Promise<{ server: Server; port: number }> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  closers.unshift(() => new Promise((resolve) => server.close(resolve)));
  const address = server.address();
  return { server, port: typeof address === 'object' && address ? address.port : 0 };
}

/** Connections to the database, other than the one that runs this query. */
async function connectionsTo({ DATABASE_URL }: RunSettings): Promise<() => Promise<number>> {
  const database: Database = await openDatabase(DATABASE_URL, 1);
  closers.unshift(() => database.pool.end());
  return async () => {
    const [row] = await database.query<{ others: number }>(
      `select count(*)::int as others from pg_stat_activity
        where datname = current_database() and pid <> pg_backend_pid() and backend_type = 'client backend'`,
    );
    return row!.others;
  };
}

const statusOf = async (port: number, path: string): Promise<number> =>
  (await fetch(`http://127.0.0.1:${port}${path}`)).status;

it('serves the routes of its roles and of no other', async () => {
  const flusher = await run(await settingsFor({ ROLES: 'flusher' }));
  const api = await run(await settingsFor({ ROLES: 'api' }));
  for (const { port, operatorPort } of [flusher, api]) {
    expect(await statusOf(port, '/health/live')).toBe(200);
    expect(await statusOf(operatorPort, '/metrics')).toBe(200);
  }
  for (const [path, status] of [
    ['/api/campaigns', 401],
    ['/docs', 200],
    ['/openapi.json', 200],
  ] as const) {
    expect([path, await statusOf(flusher.port, path), await statusOf(api.port, path)]).toEqual([path, 404, status]);
  }
  expect(flusher.bouncePort).toBeUndefined();
});

it('closes its servers and connections when it stops', async () => {
  const settings = await settingsFor({ ROLES: 'tracking,flusher' });
  const connections = await connectionsTo(settings);
  const { port, operatorPort, stop } = await runRoles(settings, logger);
  expect(await connections()).toBeGreaterThan(0);
  await stop();
  for (const closed of [port, operatorPort]) await expect(statusOf(closed, '/health/live')).rejects.toThrow();
  await eventually(async () => (await connections()) === 0);
});

it('refuses a schema of another build, and keeps no connection', async () => {
  const settings = await settingsFor({ ROLES: 'flusher' }, createEmptyDatabase);
  const connections = await connectionsTo(settings);
  await expect(runRoles(settings, logger)).rejects.toThrow(/migrat/i);
  await eventually(async () => (await connections()) === 0);
});

it('reports that its port is in use, and keeps no connection', async () => {
  const { port } = await listenAnywhere();
  const settings = await settingsFor({ ROLES: 'flusher', PORT: String(port) });
  const connections = await connectionsTo(settings);
  await expect(runRoles(settings, logger)).rejects.toThrow(
    `Cannot listen on port ${port} of 127.0.0.1 (EADDRINUSE): set PORT to a free one`,
  );
  await eventually(async () => (await connections()) === 0);
});

it.each([
  ['HOST', { PORT: '9' }],
  ['OPERATOR_HOST', { OPERATOR_PORT: '0' }],
])('names %s if this machine does not have that address', async (setting, ports) => {
  const settings = await settingsFor({ ROLES: 'flusher', ...ports });
  // Of a network for documentation (RFC 5737).
  await expect(runRoles({ ...settings, [setting]: '192.0.2.1' }, logger)).rejects.toThrow(
    `Cannot listen on 192.0.2.1 (EADDRNOTAVAIL): set ${setting} to an address of this machine`,
  );
});

it.each(['PORT', 'OPERATOR_PORT', 'BOUNCE_SMTP_PORT', 'SUBMISSION_PORT'])(
  'does no work if %s is in use',
  async (setting) => {
    const { port } = await listenAnywhere();
    const settings = await settingsFor({
      ...{ ROLES: 'tracking,worker,flusher,bounces,smtp', SMTP_URL: 'smtp://127.0.0.1:9' },
      ...{ BOUNCE_SMTP_PORT: '0', BOUNCE_DOMAIN: 'bounces.test', SUBMISSION_PORT: '0' },
      [setting]: String(port),
    });
    const redis = new Redis(settings.REDIS_URL);
    closers.unshift(async () => redis.disconnect());
    await expect(runRoles(settings, logger)).rejects.toThrow(`(EADDRINUSE): set ${setting} to a free one`);
    // Workers and flushers begin by keeping times and reading positions there.
    expect(await redis.keys('*')).toEqual([]);
  },
);

it('serves nothing if the operator port is in use', async () => {
  const taken = await listenAnywhere();
  const free = await listenAnywhere();
  await new Promise((resolve) => free.server.close(resolve));
  const settings = await settingsFor({
    ...{ ROLES: 'flusher', PORT: String(free.port), OPERATOR_PORT: String(taken.port) },
    OPERATOR_HOST: '127.0.0.1',
  });
  await expect(runRoles(settings, logger)).rejects.toThrow(/OPERATOR_PORT/);
  await expect(statusOf(free.port, '/health/live')).rejects.toThrow();
});
