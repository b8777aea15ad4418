import { join } from 'node:path';
import type { EncryptionKeys } from '../platform/encryption/encryption-keys.js';
import type { Logger } from '../platform/logging/logger.js';
import type { EmbeddedServiceError } from './embedded-service-error.js';
import { findEmbeddedServices, startEmbeddedServices } from './embedded-services.js';
import type { EmbeddedAddresses } from './supervised-service.js';
import type { UnpackOptions } from './redis-package.js';
import { freePort } from './free-port.js';
import { runningAddress } from './instance-lock.js';
import { findEncryptionKeys, ensureEncryptionKeys } from './encryption-key-file.js';
import {
  hasAllRoles,
  InvalidSettingsError,
  namesRedis,
  type RunSettings,
  type Settings,
} from '../platform/config/settings.js';
import { variables, type VariableName } from '../platform/config/setting-definitions.js';

const EMBEDDED_BOUNCE_DOMAIN = 'bounces.mailbeacon.localhost';
/** A port that stays the same is one that a mail program can be configured with. */
const SUBMISSION_PORTS = Array.from({ length: 10 }, (_, index) => 2587 + index);

/** Complete settings, with a way to stop the services that were started for them. */
export interface ResolvedEnvironment {
  readonly settings: RunSettings;
  /** URL of the embedded inbox, if it runs. */
  readonly inboxUrl?: string;
  readonly embeddedPostgres: boolean;
  /** True if any service was started for this process. */
  readonly embedded: boolean;
  /** By default, a line for each request would push the welcome of a development run out of its terminal. */
  readonly logLevel: NonNullable<Settings['LOG_LEVEL']>;
  recordAddress(address: string): Promise<void>;
  /** Makes the embedded inbox, if it runs, return bounces of its mail to this port. */
  returnBouncesTo(port: number): Promise<void>;
  /**
   * Until the signal aborts, starts each service again that ends.
   * @param onFailure called once one cannot be started again
   */
  keepRunning(logger: Logger, onFailure: (error: EmbeddedServiceError) => void): void;
  stop(): Promise<void>;
}

/**
 * Fills in missing settings. A process with all roles starts the embedded services that it lacks. A process with some
 * of the roles shares services with other processes, so they must be configured or already run in this folder.
 * @throws InvalidSettingsError, AlreadyRunningError
 */
export async function resolveEnvironment(
  settings: Settings,
  directory: string,
  options: UnpackOptions,
): Promise<ResolvedEnvironment> {
  const needs = needsOf(settings);
  const alone = hasAllRoles(settings.ROLES);
  const wanted = Object.values(needs).some(Boolean);
  const embedded = alone && wanted ? await startEmbeddedServices(needs, directory, options) : undefined;
  try {
    const addresses = embedded ?? (wanted ? await findEmbeddedServices(directory) : undefined) ?? {};
    const encryption = await provideEncryptionKeys(settings, directory);
    const filled = fillIn({ ...settings, ENCRYPTION_KEYS: encryption }, addresses);
    return {
      settings: { ...filled, ...(await submissionSettings(settings, filled)) },
      ...(addresses.inboxUrl !== undefined && { inboxUrl: addresses.inboxUrl }),
      embeddedPostgres: embedded?.databaseUrl !== undefined,
      embedded: embedded !== undefined,
      logLevel: settings.LOG_LEVEL ?? (embedded ? 'warn' : 'info'),
      recordAddress: async (address) => embedded?.recordAddress(address),
      returnBouncesTo: async (port) => embedded?.returnBouncesTo(port),
      keepRunning: (logger, onFailure) => embedded?.keepRunning(logger, onFailure),
      stop: async () => embedded?.stop(),
    };
  } catch (error) {
    await embedded?.stop();
    throw error;
  }
}

/**
 * A process with all roles generates a missing key. Processes with some of the roles must share one: with a separate
 * key, each would store secrets that the other processes cannot read.
 */
async function provideEncryptionKeys(settings: Settings, directory: string): Promise<EncryptionKeys | undefined> {
  if (settings.ENCRYPTION_KEYS) return settings.ENCRYPTION_KEYS;
  return hasAllRoles(settings.ROLES) ? ensureEncryptionKeys(directory) : findEncryptionKeys(directory);
}

/** Returns the configured keys, or those generated in this folder. */
export async function findKeys(settings: Settings, directory: string): Promise<EncryptionKeys> {
  const keys = settings.ENCRYPTION_KEYS ?? (await findEncryptionKeys(directory));
  if (!keys) throw new InvalidSettingsError([missing('ENCRYPTION_KEYS', 'if Mailbeacon does not run in this folder')]);
  return keys;
}

/**
 * Returns the settings for commands, with the configured database or the embedded one that runs in this folder, and
 * with the address of the process that runs in it: it has another port if the default one was taken.
 */
export async function findDatabase(
  settings: Settings,
  directory: string,
): Promise<Settings & { readonly DATABASE_URL: string; readonly BASE_URL: string }> {
  const DATABASE_URL = settings.DATABASE_URL ?? (await findEmbeddedServices(directory))?.databaseUrl;
  if (DATABASE_URL === undefined) throw notRunning('DATABASE_URL');
  const running = await runningAddress(join(directory, '.mailbeacon'));
  return { ...settings, DATABASE_URL, BASE_URL: settings.BASE_URL ?? running ?? localAddress(settings) };
}

/** Returns the settings with the configured Redis, or the embedded one that runs in this folder. */
export async function findRedis(
  settings: Settings,
  directory: string,
): Promise<Settings & { readonly REDIS_URL: string }> {
  const REDIS_URL = redisUrlIn(settings) ?? (await findEmbeddedServices(directory))?.redisUrl;
  if (REDIS_URL === undefined) throw notRunning('REDIS_URL');
  return { ...settings, REDIS_URL };
}

/** With Sentinels or a cluster, REDIS_URL is optional and provides only user, password and similar options. */
function redisUrlIn(settings: Settings): string | undefined {
  return settings.REDIS_URL ?? (namesRedis(settings) ? 'redis://localhost' : undefined);
}

function notRunning(name: 'DATABASE_URL' | 'REDIS_URL'): InvalidSettingsError {
  const example = `${name}=${variables[name].example}`;
  return new InvalidSettingsError([
    `Mailbeacon does not run in this folder: start it with npm start, or set ${name}, for example ${example}`,
  ]);
}

function needsOf(settings: Settings): { postgres: boolean; redis: boolean; inbox: boolean } {
  return {
    postgres: settings.DATABASE_URL === undefined,
    redis: !namesRedis(settings),
    inbox:
      settings.ROLES.includes('worker') &&
      !settings.PROVIDERS &&
      settings.DELIVERY_PROVIDER === 'smtp' &&
      settings.SMTP_URL === undefined,
  };
}

function fillIn(settings: Settings, addresses: EmbeddedAddresses): RunSettings {
  const DATABASE_URL = settings.DATABASE_URL ?? addresses.databaseUrl;
  const REDIS_URL = redisUrlIn(settings) ?? addresses.redisUrl;
  const SMTP_URL = settings.SMTP_URL ?? addresses.smtpUrl;
  const keepsSecrets = settings.ROLES.includes('api') || settings.ROLES.includes('worker');
  const where = 'if only some of the roles run';
  const problems = [
    ...(DATABASE_URL ? [] : [missing('DATABASE_URL', where)]),
    ...(REDIS_URL ? [] : [missing('REDIS_URL', where)]),
    ...(needsOf(settings).inbox && !SMTP_URL ? [missing('SMTP_URL', where)] : []),
    ...(keepsSecrets && !settings.ENCRYPTION_KEYS
      ? [missing('ENCRYPTION_KEYS', `${where}, to the same value for api and worker`)]
      : []),
  ];
  if (!DATABASE_URL || !REDIS_URL || problems.length > 0) throw new InvalidSettingsError(problems);
  const BASE_URL = settings.BASE_URL ?? localAddress(settings);
  return {
    ...settings,
    HOST: listenHost(settings),
    DATABASE_URL,
    REDIS_URL,
    SMTP_URL,
    BASE_URL,
    ...bounceSettings(settings),
  };
}

/** With the embedded Postgres, the start prints an API key, so it must serve only this machine. */
export function listenHost({ HOST, DATABASE_URL }: Settings): string {
  return HOST ?? (DATABASE_URL === undefined ? '127.0.0.1' : '0.0.0.0');
}

function localAddress({ PORT }: Settings): string {
  return `http://localhost:${PORT}`;
}

/** With the embedded inbox, bounces need no setting. They arrive at a free port of this machine. */
function bounceSettings(settings: Settings): Partial<RunSettings> {
  if (!needsOf(settings).inbox) return {};
  const { BOUNCE_DOMAIN = EMBEDDED_BOUNCE_DOMAIN, BOUNCE_SMTP_PORT, ROLES } = settings;
  if (!hasAllRoles(ROLES) || BOUNCE_SMTP_PORT !== undefined) return { BOUNCE_DOMAIN };
  return { BOUNCE_DOMAIN, BOUNCE_SMTP_PORT: 0, BOUNCE_SMTP_HOST: '127.0.0.1', ROLES: [...ROLES, 'bounces'] };
}

/** With the embedded inbox, SMTP submission needs no setting. It listens at a port of this machine. */
async function submissionSettings(settings: Settings, { ROLES }: RunSettings): Promise<Partial<RunSettings>> {
  const isWanted = needsOf(settings).inbox && hasAllRoles(ROLES) && settings.SUBMISSION_PORT === undefined;
  if (!isWanted) return {};
  const SUBMISSION_PORT = await freePort(...SUBMISSION_PORTS);
  return { SUBMISSION_PORT, SUBMISSION_HOST: '127.0.0.1', ROLES: [...ROLES, 'smtp'] };
}

function missing(name: VariableName, where: string): string {
  return `${name} must be set ${where}, for example ${name}=${variables[name].example}`;
}
