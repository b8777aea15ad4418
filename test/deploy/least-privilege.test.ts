import { execFile } from 'node:child_process';
import { mkdir, readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { Redis } from 'ioredis';
import { Client } from 'pg';
import { parse, parseAllDocuments } from 'yaml';
import { PROCESS_ROLES, type ProcessRole } from '../../src/platform/database/process-rights.js';
import { PrivatePostgres } from '../support/private-postgres.js';
import { PrivateRedis } from '../support/private-redis.js';
import { makeThrowAwayDirectory } from '../support/throw-away-directory.js';

const run = promisify(execFile);
const project = join(import.meta.dirname, '..', '..');

interface Service {
  readonly command?: string[];
  readonly entrypoint?: string[];
  readonly profiles?: string[];
  readonly environment: Readonly<Record<string, string>>;
  readonly env_file?: unknown;
  readonly volumes?: string[];
}
interface Manifest {
  readonly kind: string;
  readonly metadata: { readonly name: string };
  readonly stringData?: Readonly<Record<string, string>>;
}

let services: Readonly<Record<string, Service>>;
beforeAll(async () => {
  const text = await readFile(join(project, 'docker-compose.yml'), 'utf8');
  ({ services } = parse(text, { merge: true }) as { services: Record<string, Service> });
});

/** The environment of a container if .env sets all passwords. */
function environmentOf(name: string): Record<string, string> {
  const fill = (variable: string, fallback: string): string =>
    variable.endsWith('_PASSWORD') ? passwordOf(variable) : fallback;
  const filled = Object.entries(services[name]!.environment).map(([key, value]) => [
    key,
    String(value).replace(/\$\{([A-Z_]+):-([^}]*)\}/g, (_, variable: string, fallback: string) =>
      fill(variable, fallback),
    ),
  ]);
  return Object.fromEntries(filled) as Record<string, string>;
}

/** As an operator may set it: no two are equal. */
const passwordOf = (variable: string): string =>
  `of-${variable}${variable.endsWith('DATABASE_PASSWORD') ? ` "with" $signs 'and' spaces` : ''}`;

const PASSWORDS = ['POSTGRES_PASSWORD', 'REDIS_PASSWORD', ...PROCESS_ROLES.flatMap((role) => variablesOf(role))];

function variablesOf(role: ProcessRole): [string, string] {
  return [`${role.toUpperCase()}_DATABASE_PASSWORD`, `${role.toUpperCase()}_REDIS_PASSWORD`];
}

describe('docker-compose.yml', () => {
  it.each(PROCESS_ROLES)('gives %s its own login and no other password', (role) => {
    const environment = environmentOf(role);
    const [database, redis] = variablesOf(role);
    expect(environment).toMatchObject({
      DATABASE_URL: `postgres://mailbeacon_${role}@postgres:5432/mailbeacon`,
      PGPASSWORD: passwordOf(database),
      REDIS_URL: `redis://mailbeacon_${role}:${passwordOf(redis)}@redis:6379/0`,
    });
    const others = PASSWORDS.filter((name) => ![database, redis].includes(name));
    const text = JSON.stringify(environment);
    expect(others.filter((name) => text.includes(`of-${name}`))).toEqual([]);
    // .env reaches every role, so that each name is fixed.
    expect(PASSWORDS.filter((name) => environment[name] !== '')).toEqual([]);
  });

  it('runs migrations and commands as the owner, on request', () => {
    for (const name of ['migrate', 'cli']) {
      expect(environmentOf(name)).toMatchObject({
        DATABASE_URL: 'postgres://mailbeacon@postgres:5432/mailbeacon',
        PGPASSWORD: passwordOf('POSTGRES_PASSWORD'),
      });
    }
    expect(services['cli']).toMatchObject({ profiles: ['cli'], entrypoint: ['node', 'dist/cli/main.js'] });
  });

  it('starts Redis with the users that it writes before', () => {
    expect(services['redis']).toMatchObject({
      command: expect.arrayContaining(['--aclfile', '/users/users.acl']) as string[],
      environment: { REDISCLI_AUTH: services['redis-users']!.environment['REDIS_PASSWORD'] },
      volumes: expect.arrayContaining(['redis-users:/users:ro']) as string[],
      depends_on: { 'redis-users': { condition: 'service_completed_successfully' } },
    });
    expect(services['redis-users']!.volumes).toEqual(['redis-users:/data/redis-users']);
    expect(services['redis-users']).not.toHaveProperty('env_file');
  });
});

describe('the logins that docker-compose.yml makes', () => {
  let directory: string;
  let postgres: PrivatePostgres;
  let redis: PrivateRedis;

  /** Runs the script of a service as its container does, `$$` being Compose's spelling of `$`. */
  async function runScript(name: string, environment: Record<string, string>): Promise<void> {
    const script = services[name]!.command!.at(-1)!
      .replaceAll('$$', '$')
      // It writes into the folder of the project.
      .replace(/^.*encryption make-keys$/m, '');
    const { PATH = '' } = process.env;
    await run('/bin/sh', ['-ec', script.replaceAll('/data/redis-users', join(directory, 'users'))], {
      cwd: project,
      env: { PATH, ...environment },
    });
  }

  beforeAll(async () => {
    directory = await makeThrowAwayDirectory('mailbeacon-logins-');
    await mkdir(join(directory, 'users'));
    await runScript('redis-users', environmentOf('redis-users'));
    redis = await PrivateRedis.start('--aclfile', join(directory, 'users', 'users.acl'));
    postgres = await PrivatePostgres.start({ fsync: 'off', synchronous_commit: 'off' });
    const environment = { ...environmentOf('migrate') };
    for (const name of ['REDIS_URL', 'PGPASSWORD']) delete environment[name];
    await runScript('migrate', { ...environment, DATABASE_URL: postgres.url });
  }, 400_000);
  afterAll(async () => {
    await postgres?.remove();
    await redis?.remove();
    if (directory) await rm(directory, { recursive: true, force: true });
  });

  it.each(PROCESS_ROLES)('give %s access with its passwords and its own rights', async (role) => {
    const { DATABASE_URL, PGPASSWORD, REDIS_URL } = environmentOf(role);
    const { hostname, port, pathname } = new URL(postgres.url);
    const address = { host: hostname, port: Number(port), database: pathname.slice(1) };
    const user = new URL(DATABASE_URL!).username;
    const client = new Client({ ...address, user, password: PGPASSWORD! });
    await client.connect();
    const { rows } = await client.query<{ superuser: boolean }>(
      'select rolsuper as superuser from pg_roles where rolname = current_user',
    );
    expect(rows).toEqual([{ superuser: false }]);
    for (const statement of ['create table planted ()', 'delete from audit_entries'])
      await expect(client.query(statement)).rejects.toThrow('permission denied');
    await client.end();

    const { username, password } = new URL(REDIS_URL!);
    const own = new URL(redis.url);
    const connection = new Redis(Number(own.port), own.hostname, { username, password, retryStrategy: null });
    connection.on('error', () => undefined);
    expect(await connection.ping()).toBe('PONG');
    await expect(connection.call('FLUSHALL')).rejects.toThrow('NOPERM');
    connection.disconnect();
  });

  it('refuse access to Redis without a password, and admit commands with theirs', async () => {
    const { port, hostname } = new URL(redis.url);
    const { username, password } = new URL(environmentOf('cli')['REDIS_URL']!);
    const unauthenticated = new Redis(Number(port), hostname, { retryStrategy: null, enableReadyCheck: false });
    unauthenticated.on('error', () => undefined);
    await expect(unauthenticated.ping()).rejects.toThrow('NOAUTH');
    expect(await unauthenticated.call('AUTH', username, password)).toBe('OK');
    expect(await unauthenticated.dbsize()).toBe(0);
    unauthenticated.disconnect();
  });
});

describe('the secrets of Kubernetes', () => {
  let secrets: Manifest[];
  beforeAll(async () => {
    const text = await readFile(join(project, 'deploy', 'kubernetes', 'secret.example.yaml'), 'utf8');
    secrets = parseAllDocuments(text).map((document) => document.toJS() as Manifest);
  });

  it.each(PROCESS_ROLES)('give %s its own logins', (role) => {
    const { stringData } = secrets.find(({ metadata }) => metadata.name === `mailbeacon-${role}`)!;
    const users = Object.entries(stringData!).map(([name, url]) => [name, new URL(url).username]);
    expect(users).toEqual([
      ['DATABASE_URL', `mailbeacon_${role}`],
      ['REDIS_URL', `mailbeacon_${role}`],
    ]);
  });

  it.each(['migrate', 'commands'])('give the owner to %s.yaml', async (name) => {
    const text = await readFile(join(project, 'deploy', 'kubernetes', `${name}.yaml`), 'utf8');
    expect(text).toContain('secretRef: { name: mailbeacon-owner }');
  });

  it.each(PROCESS_ROLES)('do not give %s the logins of the owner', async (role) => {
    const text = await readFile(join(project, 'deploy', 'kubernetes', `${role}.yaml`), 'utf8');
    const names = [...text.matchAll(/secretRef: \{ name: ([\w-]+) \}/g)].map(([, name]) => name);
    const keepsSecrets = role === 'api' || role === 'worker';
    expect(names).toEqual(['mailbeacon', ...(keepsSecrets ? ['mailbeacon-keys'] : []), `mailbeacon-${role}`]);
  });
});
