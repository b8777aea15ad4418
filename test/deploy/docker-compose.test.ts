import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { parse } from 'yaml';
import { MAIN_ROLES, readSettings, type Role } from '../../src/platform/config/settings.js';
import { variables } from '../../src/platform/config/setting-definitions.js';

/** The four that always run, and the one of a profile. */
const ALL_ROLES: readonly Role[] = [...MAIN_ROLES, 'bounces', 'smtp'];

interface Service {
  image: string;
  build?: string;
  pull_policy?: string;
  logging?: { options: Record<string, string> };
  command?: string[];
  environment?: Record<string, string>;
  depends_on?: Record<string, { condition: string }>;
  healthcheck?: { test?: string[]; disable?: boolean };
  read_only?: boolean;
  tmpfs?: string[];
  cap_drop?: string[];
  security_opt?: string[];
  stop_grace_period?: string;
  container_name?: string;
  ports?: string[];
  volumes?: string[];
  networks?: string[];
  env_file?: { path: string; required: boolean }[];
}
interface Compose {
  services: Record<string, Service>;
  networks: Record<string, { internal?: boolean } | null>;
  volumes: Record<string, unknown>;
}

/** Time to keep serving while balancers notice, and to record the last outcomes. */
const LONGEST_DRAIN_BESIDES_MS = 15_000;

const project = join(import.meta.dirname, '..', '..');
let compose: Compose;
beforeAll(async () => {
  const text = await readFile(join(project, 'docker-compose.yml'), 'utf8');
  compose = parse(text, { merge: true, strict: true, uniqueKeys: true }) as Compose;
});

const service = (name: string): Service => {
  const found = compose.services[name];
  if (!found) throw new Error(`There is no service ${name}`);
  return found;
};

const sends = (role: Role): boolean => role === 'api' || role === 'worker';

/** As Compose does it for variables that are not set. */
function withDefaults(environment: Record<string, string> = {}): Record<string, string> {
  const fill = (value: string): string => value.replace(/\$\{[A-Z_]+:-([^}]*)\}/g, '$1');
  return Object.fromEntries(Object.entries(environment).map(([name, value]) => [name, fill(String(value))]));
}

describe('docker-compose.yml', () => {
  it('runs all roles, migrations and commands from one image, and three more services', () => {
    const own = [...ALL_ROLES, 'migrate', 'redis-users', 'cli'];
    expect(Object.keys(compose.services).sort()).toEqual([...own, 'postgres', 'redis', 'inbox'].sort());
    for (const name of own) expect(service(name).image).toBe('mailbeacon');
    // One service builds the image and all others depend on it; none pulls from a registry.
    expect(own.filter((name) => service(name).build !== undefined)).toEqual(['migrate']);
    for (const name of ALL_ROLES) expect(service(name).pull_policy).toBe('never');
  });

  it.each(ALL_ROLES)('gives %s valid settings and its role alone', (role) => {
    const { PGPASSWORD, ...all } = withDefaults(service(role).environment);
    expect(PGPASSWORD).toBe(`mailbeacon-${role}`);
    // Passwords of others, which .env may hold, are emptied: see least-privilege.test.ts.
    const environment = Object.fromEntries(
      Object.entries(all).filter(([name]) => !/^[A-Z]+_(?:[A-Z]+_)?PASSWORD$/.test(name)),
    );
    expect(Object.keys(environment).filter((name) => !(name in variables))).toEqual([]);
    const settings = readSettings({ BOUNCE_DOMAIN: 'bounces.example.com', ...environment });
    expect(settings.ROLES).toEqual([role]);
    expect(new URL(settings.DATABASE_URL ?? '').hostname).toBe('postgres');
    expect(new URL(settings.REDIS_URL ?? '').hostname).toBe('redis');
    if (sends(role)) expect(new URL(settings.SMTP_URL ?? '').hostname).toBe('inbox');
  });

  it('leads people to the dashboard of api, and readers to the edge, at the ports that it publishes', () => {
    const environment = withDefaults(service('api').environment);
    for (const [name, role] of [
      ['DASHBOARD_URL', 'api'],
      ['BASE_URL', 'tracking'],
    ] as const) {
      const [, port] = /:(\d+):3000$/.exec(service(role).ports![0]!)!;
      expect([name, environment[name]]).toEqual([name, `http://localhost:${port}`]);
    }
    // The command line prints these links, too.
    for (const name of ['api', 'cli']) expect(service(name).environment).toHaveProperty('DASHBOARD_URL');
  });

  it.each(ALL_ROLES)('passes every setting of .env to %s, except fixed ones and secrets of other roles', (role) => {
    expect(service(role).env_file).toEqual([{ path: '.env', required: false }]);
    const fixed = new Set(Object.keys(service(role).environment ?? {}));
    for (const name of ['PLANS', 'RATE_LIMIT_PER_MINUTE', 'OPERATOR_PASSWORD', 'LOG_LEVEL'])
      expect(fixed).not.toContain(name);
    // An address of npm start in .env would break these.
    for (const name of ['BASE_URL', 'PORT', 'HOST', 'DATABASE_URL', 'REDIS_URL', 'ROLES'])
      expect(fixed).toContain(name);
  });

  it.each(['tracking', 'flusher', 'bounces', 'smtp'] as const)('gives %s only the secrets that it needs', (role) => {
    const { environment = {}, volumes } = service(role);
    const needed = ['DATABASE_URL', 'REDIS_URL', 'REDIS_SENTINEL_PASSWORD', 'OPERATOR_PASSWORD'];
    // Flushers write to it.
    if (role === 'flusher') needed.push('EVENT_STORE_URL');
    for (const [name, { secret }] of Object.entries(variables)) {
      if (secret && !needed.includes(name)) expect([name, environment[name]]).toEqual([name, '']);
    }
    expect(volumes).toEqual([role === 'smtp' ? '${SUBMISSION_TLS_DIRECTORY:-./tls}:/tls:ro' : 'spool:/data/spool']);
  });

  it('keeps the inbox and the internet from reaching the databases', () => {
    for (const name of ['postgres', 'redis']) {
      expect(service(name).networks).toEqual(['data']);
      expect(service(name)).not.toHaveProperty('ports');
    }
    expect(compose.networks['data']).toEqual({ internal: true });
    expect(service('inbox').networks).toEqual(['mail']);
    expect(ALL_ROLES.filter((role) => service(role).networks?.includes('mail'))).toEqual(['worker']);
  });

  it('starts in an order that works', () => {
    for (const { depends_on = {} } of Object.values(compose.services)) {
      for (const [name, { condition }] of Object.entries(depends_on)) {
        if (condition === 'service_healthy') expect(service(name).healthcheck?.test?.[0]).toBe('CMD');
        else
          expect([condition, service(name).healthcheck]).toEqual(['service_completed_successfully', { disable: true }]);
      }
    }
    for (const role of ALL_ROLES) expect(Object.keys(service(role).depends_on ?? {})).toContain('migrate');
    expect(Object.keys(service('migrate').depends_on ?? {})).toContain('postgres');
    expect(Object.keys(service('redis').depends_on ?? {})).toContain('redis-users');
  });

  it('keeps data in volumes, Redis by append-only file and without eviction', () => {
    const command = service('redis').command?.join(' ');
    expect(command).toContain('--appendonly yes');
    expect(command).toContain('--maxmemory-policy noeviction');
    const mounted = Object.values(compose.services).flatMap(({ volumes = [] }) => volumes);
    const names = new Set(mounted.map((mount) => mount.split(':')[0]!).filter((name) => !name.startsWith('$')));
    expect([...names].sort()).toEqual(Object.keys(compose.volumes).sort());
    // Every role that creates events keeps them here while Redis is down.
    for (const role of ['api', 'tracking', 'worker', 'bounces']) {
      const spool = withDefaults(service(role).environment)['SPOOL_DIRECTORY'];
      expect(service(role).volumes).toContain(`spool:${spool}`);
    }
  });

  it('gives every role that stores secrets the key that the migration has created', () => {
    const keys = 'keys:/app/.mailbeacon';
    expect(service('migrate').command?.join(' ')).toContain('encryption make-keys');
    expect(service('migrate').volumes).toContain(keys);
    for (const name of ['api', 'worker']) expect(service(name).volumes).toContain(`${keys}:ro`);
  });

  it('writes only to volumes, and drops all rights', () => {
    for (const role of ALL_ROLES) {
      expect(service(role)).toMatchObject({
        read_only: true,
        tmpfs: ['/tmp'],
        cap_drop: ['ALL'],
        security_opt: ['no-new-privileges:true'],
      });
    }
  });

  it('bounds the logs of every container', () => {
    for (const name of Object.keys(compose.services)) expect(service(name).logging?.options).toHaveProperty('max-size');
  });

  it('waits longer than the longest drain', () => {
    const { DELIVERY_TIMEOUT_MS } = readSettings({});
    for (const role of ALL_ROLES) {
      const seconds = Number(/^(\d+)s$/.exec(service(role).stop_grace_period ?? '')?.[1]);
      expect(seconds * 1000).toBeGreaterThanOrEqual(DELIVERY_TIMEOUT_MS + LONGEST_DRAIN_BESIDES_MS);
    }
  });

  it('can run any number of workers and flushers', () => {
    for (const role of ['worker', 'flusher']) {
      expect(service(role)).not.toHaveProperty('ports');
      expect(service(role)).not.toHaveProperty('container_name');
    }
  });

  it('publishes the edges only', () => {
    const published = Object.keys(compose.services).filter((name) => service(name).ports !== undefined);
    expect(published.sort()).toEqual(['api', 'bounces', 'inbox', 'smtp', 'tracking']);
    // A proxy with TLS stands before the edges; keys must not cross a network in the clear.
    for (const name of ['api', 'tracking', 'inbox'])
      expect(withDefaults({ port: service(name).ports![0]! })['port']).toMatch(/^127\.0\.0\.1:/);
  });
});
