import { readFileSync } from 'node:fs';
import { variables } from '../../../src/platform/config/setting-definitions.js';
import { unknownSettings } from '../../../src/platform/config/unknown-settings.js';

const SECRET = 'hunter2';
const given = (...names: string[]) => Object.fromEntries(names.map((name) => [name, SECRET]));
const inEnvironment = (...names: string[]) => unknownSettings(given(...names), {});
const inFile = (...names: string[]) => unknownSettings({}, given(...names));

describe('a misspelled setting is named with the one that was meant', () => {
  it.each([
    ['WORKER_CONCURENCY', 'WORKER_CONCURRENCY'],
    ['WORKER_CONCURRENYC', 'WORKER_CONCURRENCY'],
    ['WORKERCONCURRENCY', 'WORKER_CONCURRENCY'],
    ['worker_concurrency', 'WORKER_CONCURRENCY'],
    ['WORKER-CONCURRENCY', 'WORKER_CONCURRENCY'],
    ['DATABSE_ULR', 'DATABASE_URL'],
    ['DATABASE_URI', 'DATABASE_URL'],
    ['ROLE', 'ROLES'],
    ['PROVIDER', 'PROVIDERS'],
    ['BASE_ULR', 'BASE_URL'],
    ['DNS_SERVER', 'DNS_SERVERS'],
    ['ENCRYPTION_KEY', 'ENCRYPTION_KEYS'],
    ['TRUSTD_PROXYES', 'TRUSTED_PROXIES'],
    ['EMAIL_CONTENT_RETENTION_DAY', 'EMAIL_CONTENT_RETENTION_DAYS'],
    ['OTEL_EXPORTER_OTLP_ENDPOIT', 'OTEL_EXPORTER_OTLP_ENDPOINT'],
  ])('%s', (name, meant) => {
    const expected = [`${name} is not a setting and is ignored: did you mean ${meant}?`];
    expect(inEnvironment(name)).toEqual(expected);
    expect(inFile(name)).toEqual(expected);
  });
});

it('names one that is both in the environment and in .env once', () => {
  expect(unknownSettings(given('ROLE'), given('ROLE'))).toHaveLength(1);
});

describe('there is no warning about', () => {
  it('settings', () => {
    expect([...inEnvironment(...Object.keys(variables)), ...inFile(...Object.keys(variables))]).toEqual([]);
  });

  it.each([
    [
      'the shell and the system',
      'PATH HOME HOSTNAME HOST PORT PORTS POST HOSTS USER LOGNAME SHELL TERM PWD OLDPWD LANG TZ',
    ],
    [
      'Node and npm',
      'NODE_ENV NODE_OPTIONS NODE_VERSION NODE_EXTRA_CA_CERTS npm_config_registry npm_package_name npm_execpath',
    ],
    [
      'Postgres',
      'PGHOST PGPORT PGUSER PGPASSWORD PGDATABASE PGSSLMODE PGDATA POSTGRES_USER POSTGRES_DB POSTGRES_PASSWORD',
    ],
    ['Redis', 'REDIS_HOST REDIS_DB REDIS_SSL REDIS_TLS REDIS_USER REDIS_PASSWORD REDIS_TLS_URL REDISCLOUD_URL'],
    ['mail and databases', 'SMTP_HOST SMTP_PORT SMTP_USER DATABASE_SSL DATABASE_HOST DATABASE_NAME DB_URL MYSQL_URL'],
    [
      'libraries of providers',
      'SENDGRID_API_SECRET RESEND_API_KEY MAILGUN_API_KEY POSTMARK_API_KEY AWS_REGION AWS_ACCESS_KEY_ID',
    ],
    ['OpenTelemetry', 'OTEL_SERVICE_NAME OTEL_TRACES_SAMPLER OTEL_EXPORTER_OTLP_HEADERS OTEL_EXPORTER_OTLP_PROTOCOL'],
    ['proxies', 'HTTP_PROXY HTTPS_PROXY NO_PROXY http_proxy https_proxy no_proxy ALL_PROXY'],
    ['build servers', 'CI GITHUB_TOKEN RUNNER_OS API_URL APP_URL SITE_URL PUBLIC_URL LOG_FORMAT'],
  ])('variables of %s', (_program, names) => {
    expect(inEnvironment(...names.split(' '))).toEqual([]);
  });

  it.each([
    'redis',
    'postgres',
    'database',
    'smtp',
    'operators',
    'submissions',
    'event-store',
    'redis-sentinel',
    'api',
  ])('what Kubernetes sets for a service named %s', (service) => {
    const name = service.toUpperCase().replaceAll('-', '_');
    const address = 'tcp://10.0.0.11:6379';
    const environment = {
      [`${name}_SERVICE_HOST`]: '10.0.0.11',
      [`${name}_SERVICE_PORT`]: '6379',
      [`${name}_SERVICE_PORT_HTTP`]: '6379',
      [`${name}_PORT`]: address,
      [`${name}_PORT_6379_TCP`]: address,
      [`${name}_PORT_6379_TCP_PROTO`]: 'tcp',
      [`${name}_PORT_6379_TCP_PORT`]: '6379',
      [`${name}_PORT_6379_TCP_ADDR`]: '10.0.0.11',
      KUBERNETES_PORT: 'tcp://10.0.0.1:443',
    };
    expect(unknownSettings(environment, {})).toEqual([]);
  });

  it('what docker-compose.yml reads from .env or sets', () => {
    const compose = readFileSync('docker-compose.yml', 'utf8');
    const read = [...compose.matchAll(/\$\{([A-Z_]+)/g)].map(([, name]) => name!);
    const set = [...compose.matchAll(/^ +([A-Z_]+):/gm)].map(([, name]) => name!);
    expect(read.length).toBeGreaterThan(15);
    expect([inFile(...read), inEnvironment(...read, ...set)]).toEqual([[], []]);
  });
});

describe('an unknown name in .env', () => {
  it('is named', () => {
    expect(inFile('SMTP_PASSWORD')).toEqual(['SMTP_PASSWORD in .env is not a setting and is ignored']);
    expect(inEnvironment('SMTP_PASSWORD')).toEqual([]);
  });

  it('is not, if it belongs to another program', () => {
    expect(inFile('NODE_ENV', 'NODE_OPTIONS', 'UV_THREADPOOL_SIZE', 'PGPASSWORD', 'COMPOSE_FILE', 'TZ')).toEqual([]);
  });

  it('is not, if it may be the end of a secret of several lines', () => {
    expect(inFile('aGVsbG8gd29ybGQ', 'QUJD', 'AbC', 'A')).toEqual(['QUJD in .env is not a setting and is ignored']);
  });
});

it('no warning has a value', () => {
  expect(inFile('WORKER_CONCURENCY', 'SMTP_PASSWORD').join()).not.toContain(SECRET);
});
