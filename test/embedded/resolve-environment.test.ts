import { mkdir, mkdtemp, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { findDatabase, findKeys, findRedis, resolveEnvironment } from '../../src/embedded/resolve-environment.js';
import { readSettings, type RunSettings } from '../../src/platform/config/settings.js';

const DATABASE_URL = 'postgres://db/m';
const REDIS_URL = 'redis://redis';
const SMTP_URL = 'smtp://mail';
const BASE_URL = 'https://mail.example';
const ENCRYPTION_KEYS = `k1:${Buffer.alloc(32, 7).toString('base64')}`;
const COMPLETE = { DATABASE_URL, REDIS_URL, SMTP_URL, ENCRYPTION_KEYS };

const EMBEDDED = {
  databaseUrl: 'postgres://127.0.0.1:1/m',
  redisUrl: 'redis://127.0.0.1:2',
  smtpUrl: 'smtp://127.0.0.1:3',
  inboxUrl: 'http://127.0.0.1:4',
};

let directory: string;
beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), 'mailbeacon-test-'));
});
afterEach(() => rm(directory, { recursive: true, force: true }));

/** As if a process with all roles ran in this folder with embedded services. */
async function runEmbeddedServices(): Promise<void> {
  await mkdir(join(directory, '.mailbeacon'));
  const services = [{ pid: process.pid, addresses: EMBEDDED }];
  await writeFile(join(directory, '.mailbeacon', 'services.json'), JSON.stringify(services));
}

const resolve = (environment: Record<string, string>) => resolveEnvironment(readSettings(environment), directory, {});
const settingsOf = async (environment: Record<string, string>): Promise<RunSettings> =>
  (await resolve(environment)).settings;

describe('a complete configuration', () => {
  it('is used unchanged, and starts nothing', async () => {
    const environment = await resolve({ ...COMPLETE, HOST: '::1', BASE_URL });
    expect(environment.settings).toMatchObject({ DATABASE_URL, REDIS_URL, SMTP_URL, HOST: '::1' });
    expect(environment).toMatchObject({ embedded: false, embeddedPostgres: false });
    expect(environment).not.toHaveProperty('inboxUrl');
    await expect(stat(join(directory, '.mailbeacon'))).rejects.toThrow(/ENOENT/);
    await environment.stop();
  });

  it('logs requests, unless a setting says otherwise', async () => {
    expect(await resolve(COMPLETE)).toMatchObject({ logLevel: 'info' });
    expect(await resolve({ ...COMPLETE, LOG_LEVEL: 'error' })).toMatchObject({ logLevel: 'error' });
  });

  it('listens on every address, and by default links to this machine', async () => {
    expect(await settingsOf({ ...COMPLETE, PORT: '8080' })).toMatchObject({
      HOST: '0.0.0.0',
      BASE_URL: 'http://localhost:8080',
    });
  });

  it('needs no REDIS_URL with Sentinels or a cluster', async () => {
    const { DATABASE_URL, SMTP_URL, ENCRYPTION_KEYS } = COMPLETE;
    const withoutRedis = { DATABASE_URL, SMTP_URL, ENCRYPTION_KEYS };
    const ways: Record<string, string>[] = [
      { REDIS_SENTINELS: 'sentinel:26379', REDIS_SENTINEL_NAME: 'mymaster' },
      { REDIS_CLUSTER: 'node:6379' },
    ];
    for (const servers of ways) {
      expect(await settingsOf({ ...withoutRedis, ...servers })).toMatchObject({ REDIS_URL: 'redis://localhost' });
    }
  });
});

describe('a process with some of the roles', () => {
  it('shares the embedded services that run in its folder, and serves only this machine', async () => {
    await runEmbeddedServices();
    const environment = await resolve({ ROLES: 'worker', BASE_URL, ENCRYPTION_KEYS });
    expect(environment.settings).toMatchObject({
      DATABASE_URL: EMBEDDED.databaseUrl,
      REDIS_URL: EMBEDDED.redisUrl,
      SMTP_URL: EMBEDDED.smtpUrl,
      BOUNCE_DOMAIN: 'bounces.mailbeacon.localhost',
      HOST: '127.0.0.1',
    });
    // They belong to the other process, so this one neither stops nor announces them.
    expect(environment).toMatchObject({ embedded: false, embeddedPostgres: false, inboxUrl: EMBEDDED.inboxUrl });
  });

  it('prefers settings to the services in its folder', async () => {
    await runEmbeddedServices();
    const settings = await settingsOf({ ROLES: 'flusher', DATABASE_URL });
    expect(settings).toMatchObject({ DATABASE_URL, REDIS_URL: EMBEDDED.redisUrl, HOST: '0.0.0.0' });
    expect(await settingsOf({ ROLES: 'flusher', HOST: '0.0.0.0' })).toMatchObject({ HOST: '0.0.0.0' });
  });

  it('names every setting that it lacks', async () => {
    await expect(resolve({ ROLES: 'worker', BASE_URL })).rejects.toMatchObject({
      problems: [
        expect.stringMatching(/^DATABASE_URL must be set if only some of the roles run/),
        expect.stringMatching(/^REDIS_URL must be set if only some of the roles run/),
        expect.stringMatching(/^SMTP_URL must be set if only some of the roles run/),
        expect.stringMatching(
          /^ENCRYPTION_KEYS must be set if only some of the roles run, to the same value for api and worker/,
        ),
      ],
    });
  });

  it('needs only what its roles use', async () => {
    const stores = { DATABASE_URL, REDIS_URL, BASE_URL };
    expect(await settingsOf({ ...stores, ROLES: 'tracking,flusher' })).toMatchObject({ SMTP_URL: undefined });
    await expect(resolve({ ...stores, ROLES: 'api' })).rejects.toMatchObject({
      problems: [expect.stringMatching(/^ENCRYPTION_KEYS/)],
    });
    const sendgrid = { DELIVERY_PROVIDER: 'sendgrid', SENDGRID_API_KEY: 'SG.key' };
    expect(await settingsOf({ ...stores, ...sendgrid, ROLES: 'worker', ENCRYPTION_KEYS })).toMatchObject(stores);
  });
});

describe('commands', () => {
  const none = readSettings({});
  const complete = readSettings(COMPLETE);

  it('use the configured stores and keys', async () => {
    expect(await findDatabase(complete, directory)).toMatchObject({ DATABASE_URL });
    expect(await findRedis(complete, directory)).toMatchObject({ REDIS_URL });
    expect((await findKeys(complete, directory))[0].id).toBe('k1');
  });

  it('use those that run in the folder', async () => {
    await runEmbeddedServices();
    expect(await findDatabase(none, directory)).toMatchObject({ DATABASE_URL: EMBEDDED.databaseUrl });
    expect(await findRedis(none, directory)).toMatchObject({ REDIS_URL: EMBEDDED.redisUrl });
  });

  it('explain how to start Mailbeacon or which setting is missing', async () => {
    const advice = (name: string) => new RegExp(`start it with npm start, or set ${name}, for example ${name}=`);
    await expect(findDatabase(none, directory)).rejects.toThrow(advice('DATABASE_URL'));
    await expect(findRedis(none, directory)).rejects.toThrow(advice('REDIS_URL'));
    await expect(findKeys(none, directory)).rejects.toThrow(/^ENCRYPTION_KEYS must be set if Mailbeacon does not run/);
  });
});

describe('a start with services of its own', () => {
  const started = async (environment: Record<string, string>): Promise<string> => {
    const { DATABASE_URL, REDIS_URL, ENCRYPTION_KEYS } = COMPLETE;
    const { logLevel, stop } = await resolve({ DATABASE_URL, REDIS_URL, ENCRYPTION_KEYS, ...environment });
    await stop();
    return logLevel;
  };

  it('logs warnings and errors alone, so that requests do not push its welcome away', async () => {
    expect(await started({})).toBe('warn');
  });

  it('logs as much as a setting says', async () => {
    expect(await started({ LOG_LEVEL: 'info' })).toBe('info');
    expect(await started({ LOG_LEVEL: 'debug' })).toBe('debug');
  });
});
