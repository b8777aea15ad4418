import { OperatorError } from '../errors/operator-error.js';
import type { Variable } from './setting-types.js';
import { isLoopback } from './smtp-server-address.js';
import { checkOpenIdProvider } from './user-settings.js';
import { MAIN_ROLES, variables, type Role, type Settings, type VariableName } from './setting-definitions.js';

export { MAIN_ROLES, ROLES, type Role, type Settings } from './setting-definitions.js';

/** Injection token of the settings of the running process. */
export const SETTINGS = Symbol('settings');

/** Settings after all defaults are resolved: embedded services, the port, the address. */
export type RunSettings = Settings & {
  readonly HOST: string;
  readonly BASE_URL: string;
  readonly DATABASE_URL: string;
  readonly REDIS_URL: string;
  /** Listen address of the role `bounces`, if it is not HOST. */
  readonly BOUNCE_SMTP_HOST?: string;
  /** Listen address of the role `smtp`, if it is not HOST. */
  readonly SUBMISSION_HOST?: string;
  /** Binary logarithm of the N of scrypt for new password hashes. No variable sets it: only tests lower it. */
  readonly PASSWORD_LOG_N?: number;
};

/** Thrown for invalid settings. The message has one line per variable and never contains a value. */
export class InvalidSettingsError extends OperatorError {
  constructor(readonly problems: readonly string[]) {
    super(problems.join('\n'));
  }
}

/**
 * Reads all settings together, so that one start reports every problem.
 * @throws InvalidSettingsError with each invalid or missing variable, the reason and an example
 */
export function readSettings(environment: Readonly<Record<string, string | undefined>>): Settings {
  const problems: string[] = [];
  const wrong = new Set<string>();
  const values: Record<string, unknown> = {};
  for (const name of Object.keys(variables) as VariableName[]) {
    const variable: Variable<unknown> = variables[name];
    const text = environment[name]?.trim() ?? '';
    if (text === '' && variable.fallback) {
      values[name] = variable.fallback.value;
      continue;
    }
    values[name] = text === '' ? undefined : variable.read(text);
    if (values[name] === undefined) {
      const problem = variable.problemIn?.(text);
      const must = problem === undefined ? `must be ${variable.expectation}` : `is invalid: ${problem}`;
      problems.push(`${name} ${must}, for example ${name}=${variable.example}`);
      wrong.add(name);
      values[name] = variable.fallback?.value;
    } else if (variable.isPublished?.(text)) {
      problems.push(
        `${name} is the example of the documentation, which is public: set a value of your own; where it is yours to choose, openssl rand -base64 32 generates one`,
      );
    }
  }
  const read = values as unknown as Settings;
  const settings = environment.ROLES?.trim() ? read : { ...read, ROLES: defaultRoles(read) };
  // Without them it is unknown what the others need.
  if (!wrong.has('ROLES') && !wrong.has('PROVIDERS'))
    problems.push(...crossCheck(settings).filter((problem) => !isAboutOneOf(wrong, problem)));
  if (problems.length > 0) throw new InvalidSettingsError(problems);
  return settings;
}

/** @param problem one or more names, then what they must be */
function isAboutOneOf(names: ReadonlySet<string>, problem: string): boolean {
  const [subject = ''] = problem.split(' must ', 1);
  return subject.split(' and ').some((name) => names.has(name));
}

function defaultRoles({ BOUNCE_SMTP_PORT, SUBMISSION_PORT }: Settings): readonly Role[] {
  const roles: Role[] = [...MAIN_ROLES];
  if (BOUNCE_SMTP_PORT !== undefined) roles.push('bounces');
  if (SUBMISSION_PORT !== undefined) roles.push('smtp');
  return roles;
}

/** Checks across several variables. Each role requires only its own settings. */
function crossCheck(settings: Settings): string[] {
  const problems: string[] = [];
  const worker = settings.ROLES.includes('worker');
  const { DELIVERY_PROVIDER, PROVIDERS } = settings;
  if (worker && !PROVIDERS && DELIVERY_PROVIDER === 'sendgrid' && settings.SENDGRID_API_KEY === undefined) {
    problems.push(
      `SENDGRID_API_KEY must be set when DELIVERY_PROVIDER=sendgrid, for example SENDGRID_API_KEY=${variables.SENDGRID_API_KEY.example}`,
    );
  }
  const makesLinks = worker || settings.ROLES.includes('api') || settings.ROLES.includes('smtp');
  if (makesLinks && !hasAllRoles(settings.ROLES) && settings.BASE_URL === undefined) {
    problems.push(
      `BASE_URL must be set if only some of the roles run, to the same value for api, smtp and worker, for example BASE_URL=${variables.BASE_URL.example}`,
    );
  }
  if (settings.REDIS_CLUSTER && /^\/0*[1-9]/.test(new URL(settings.REDIS_URL ?? 'redis://').pathname)) {
    problems.push(
      'REDIS_URL must use database 0 together with REDIS_CLUSTER, because a cluster has no other, for example REDIS_URL=redis://:secret@redis.internal',
    );
  }
  problems.push(...checkBounces(settings), ...checkSubmission(settings), ...checkOpenIdProvider(settings));
  return problems;
}

function checkBounces({ ROLES, BOUNCE_DOMAIN, BOUNCE_SMTP_PORT, BOUNCE_INTAKE_SECRET }: Settings): string[] {
  const problems: string[] = [];
  const listens = ROLES.includes('bounces');
  if (listens && BOUNCE_SMTP_PORT === undefined) {
    problems.push('BOUNCE_SMTP_PORT must be set for the role bounces, for example BOUNCE_SMTP_PORT=25');
  }
  const receives = listens || (ROLES.includes('api') && BOUNCE_INTAKE_SECRET !== undefined);
  if (receives && BOUNCE_DOMAIN === undefined) {
    problems.push(
      `BOUNCE_DOMAIN must be set to receive bounces, for example BOUNCE_DOMAIN=${variables.BOUNCE_DOMAIN.example}`,
    );
  }
  return problems;
}

function checkSubmission(settings: Settings): string[] {
  const { ROLES, HOST, SUBMISSION_PORT, SUBMISSION_TLS_CERTIFICATE, SUBMISSION_TLS_KEY } = settings;
  if (!ROLES.includes('smtp')) return [];
  const problems: string[] = [];
  if (SUBMISSION_PORT === undefined) {
    problems.push('SUBMISSION_PORT must be set for the role smtp, for example SUBMISSION_PORT=587');
  }
  const isIncomplete = (SUBMISSION_TLS_CERTIFICATE === undefined) !== (SUBMISSION_TLS_KEY === undefined);
  const mayBeSelfSigned = HOST === undefined ? settings.DATABASE_URL === undefined : isLoopback(HOST);
  if (isIncomplete || (SUBMISSION_TLS_CERTIFICATE === undefined && !mayBeSelfSigned)) {
    problems.push(
      `SUBMISSION_TLS_CERTIFICATE and SUBMISSION_TLS_KEY must both be set for the role smtp, unless HOST is an address of this machine, for example SUBMISSION_TLS_CERTIFICATE=${variables.SUBMISSION_TLS_CERTIFICATE.example}`,
    );
  }
  return problems;
}

/** True if the settings configure a Redis, so that none is embedded. */
export function namesRedis({ REDIS_URL, REDIS_SENTINELS, REDIS_CLUSTER }: Settings): boolean {
  return (REDIS_URL ?? REDIS_SENTINELS ?? REDIS_CLUSTER) !== undefined;
}

/**
 * True if the process is a complete installation: it migrates, and starts an embedded service for each address that no
 * setting gives.
 */
export function hasAllRoles(roles: readonly Role[]): boolean {
  return MAIN_ROLES.every((role) => roles.includes(role));
}
