import { once } from 'node:events';
import { systemClock } from '../platform/clock/clock.js';
import { readEnvironment } from '../platform/config/environment.js';
import { readSettings, type Settings } from '../platform/config/settings.js';
import { findDatabase, findRedis } from '../embedded/resolve-environment.js';
import { withDeadline } from '../platform/clock/with-deadline.js';
import type { Database } from '../platform/database/database.js';
import { OperatorError } from '../platform/errors/operator-error.js';
import { openDatabase } from '../platform/database/open-database.js';
import { checkSchema } from '../platform/database/schema-check.js';
import { Organizations } from '../organizations/organizations.js';
import { Plans } from '../organizations/plans.js';
import { connectForCommands, type RedisConnection } from '../platform/redis/connect.js';
import { requireRedisDatabase } from '../platform/redis/database-check.js';

const REDIS_TIMEOUT_MS = 5_000;

type DatabaseSettings = Awaited<ReturnType<typeof findDatabase>>;

/** The settings of this project. Commands run no role, and the flusher has no required settings of its own. */
export function readCommandSettings(projectDirectory: string): Settings {
  return readSettings({ ...readEnvironment(projectDirectory), ROLES: 'flusher' });
}

/** The settings of this project, with the configured or embedded database. */
export function findSettings(projectDirectory: string): Promise<DatabaseSettings> {
  return findDatabase(readCommandSettings(projectDirectory), projectDirectory);
}

/**
 * Connects to the configured or embedded Redis for the duration of one command.
 * @throws OperatorError if it does not respond, or does not have the database of REDIS_URL
 */
export async function withRedis<Result>(
  projectDirectory: string,
  work: (redis: RedisConnection) => Promise<Result>,
): Promise<Result> {
  const redis = connectForCommands(await findRedis(readCommandSettings(projectDirectory), projectDirectory));
  // Without a listener, ioredis prints every failed attempt.
  redis.on('error', () => undefined);
  try {
    await withDeadline(REDIS_TIMEOUT_MS, once(redis, 'ready')).catch((error: Error & { code?: string }) => {
      throw new OperatorError(`Redis cannot be reached at REDIS_URL: ${error.code ?? error.message}`);
    });
    await requireRedisDatabase(redis);
    return await work(redis);
  } finally {
    redis.disconnect();
  }
}

/** Opens the database for the duration of one command. */
export async function withDatabase<Result>(
  projectDirectory: string,
  work: (database: Database, settings: DatabaseSettings) => Promise<Result>,
): Promise<Result> {
  const settings = await findSettings(projectDirectory);
  const database = await openDatabase(settings.DATABASE_URL, 2, { pooling: settings.DATABASE_POOLING });
  try {
    await checkSchema(database);
    return await work(database, settings);
  } finally {
    await database.pool.end();
  }
}

/** Runs `work` and prints what it returns. */
export async function printFromOrganizations(
  projectDirectory: string,
  work: (organizations: Organizations) => Promise<unknown>,
): Promise<void> {
  const result = await withDatabase(projectDirectory, (database, settings) =>
    work(new Organizations(database, new Plans(settings), systemClock)),
  );
  printJson(result);
}

export function printJson(value: unknown): void {
  process.stdout.write(`${JSON.stringify(value, undefined, 2)}\n`);
}
