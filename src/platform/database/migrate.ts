import { setTimeout } from 'node:timers/promises';
import { MigrationExecutor, type DataSource, type QueryRunner } from 'typeorm';
import { OperatorError } from '../errors/operator-error.js';
import { createDataSource, poolOf } from './data-source.js';
import { Database } from './database.js';
import { DatabaseUnreachableError, LOCAL_KEEPALIVES } from './open-database.js';
import { provideProcessRoles } from './process-roles.js';
import { refuseBrokenSchema } from './schema-check.js';

/** Advisory lock shared by all processes that start concurrently. The number is arbitrary but must never change. */
const MIGRATION_LOCK = 7_219_533_004;

/**
 * A statement that waits for a table lock blocks all later ones. A migration therefore waits at most this long, lets
 * the other statements run and retries.
 */
const LOCK_TIMEOUT = '1s';
const RETRY_MS = 2_000;
/** Delay between two tries to take the migration lock. */
const POLL_MS = 200;
/** Processes that start together take turns of some milliseconds, which are not worth a report. */
const TRIES_BEFORE_REPORT = 10;
/** SQLSTATE codes of a lock timeout and a deadlock. */
const BLOCKED = ['55P03', '40P01'];

export interface MigrationOptions {
  /** How long to retry while tables are locked, in milliseconds. */
  readonly maxWaitMs?: number;
  /** Called once, when the migration first has to wait: for a table, or for the migration of another process. */
  readonly onBlocked?: (reason: string) => void;
}

/** Thrown when a table stays locked for longer than the maximum wait. Migrations completed before stay applied. */
export class MigrationBlockedError extends OperatorError {
  constructor(reason: string) {
    super(
      `A migration cannot lock a table (${reason}): look for a backup or a long transaction in pg_stat_activity, ` +
        'and run the migration again after it has ended.',
    );
  }
}

/**
 * Migrates the schema to this build's version, or leaves a newer one unchanged. Safe to run from several processes
 * concurrently and next to a running service.
 * @throws DatabaseUnreachableError, MigrationBlockedError
 * @throws SchemaMismatchError when the schema is too new for this build
 * @throws OtherApplicationError when the database has tables of another application
 */
export async function migrate(
  url: string,
  { maxWaitMs = 600_000, onBlocked = () => undefined }: MigrationOptions = {},
): Promise<void> {
  const dataSource = await openDataSource(url);
  const giveUpAt = performance.now() + maxWaitMs;
  let isReported = false;
  const report = (reason: string): void => {
    if (!isReported) onBlocked(reason);
    isReported = true;
  };
  try {
    for (;;) {
      const blocked = await tryToMigrate(dataSource, report);
      if (blocked === undefined) return;
      if (performance.now() > giveUpAt) throw new MigrationBlockedError(blocked);
      report(`a table is locked (${blocked})`);
      await setTimeout(RETRY_MS);
    }
  } finally {
    await dataSource.destroy();
  }
}

async function openDataSource(url: string): Promise<DataSource> {
  try {
    return await createDataSource(url).initialize();
  } catch (error) {
    throw new DatabaseUnreachableError(error);
  }
}

/** Returns the reason if another session blocked the migration. */
async function tryToMigrate(dataSource: DataSource, report: (reason: string) => void): Promise<string | undefined> {
  const onTaken = (): void => report('another process is migrating the database');
  try {
    await withMigrationLock(dataSource, onTaken, async () => {
      const database = new Database(poolOf(dataSource));
      await refuseBrokenSchema(database);
      await runPending(dataSource);
      await provideProcessRoles(database);
    });
    return undefined;
  } catch (error) {
    const { code, message } = error as { code?: string; message: string };
    if (code !== undefined && BLOCKED.includes(code)) return message;
    throw error;
  }
}

async function runPending(dataSource: DataSource): Promise<void> {
  const runner = dataSource.createQueryRunner();
  try {
    limitLocks(runner);
    const executor = new MigrationExecutor(dataSource, runner);
    executor.transaction = 'each';
    await executor.executePendingMigrations();
  } finally {
    await runner.release();
  }
}

/**
 * Migrations outside a transaction need no lock timeout: concurrent index builds and drops block no other statement.
 * Those within one must not keep their locks after their host has vanished.
 */
function limitLocks(runner: QueryRunner): void {
  const start = runner.startTransaction.bind(runner);
  runner.startTransaction = async (isolation) => {
    await start(isolation);
    await runner.query(`set local lock_timeout = '${LOCK_TIMEOUT}'; ${LOCAL_KEEPALIVES}`);
  };
}

/**
 * Holds the lock in a transaction, which a pooler keeps on one session. Polls for the lock instead of waiting for it,
 * because a concurrent index build waits for all earlier statements, including one that waits for this lock.
 */
async function withMigrationLock(
  dataSource: DataSource,
  onTaken: () => void,
  work: () => Promise<void>,
): Promise<void> {
  const runner = dataSource.createQueryRunner();
  try {
    for (let tries = 1; ; tries++) {
      await runner.query(`begin; set local idle_in_transaction_session_timeout = 0; ${LOCAL_KEEPALIVES}`);
      const [row] = (await runner.query(`select pg_try_advisory_xact_lock(${MIGRATION_LOCK}) as ours`)) as [
        { ours: boolean },
      ];
      if (row.ours) break;
      await runner.query('rollback');
      if (tries === TRIES_BEFORE_REPORT) onTaken();
      await setTimeout(POLL_MS);
    }
    await work().finally(() => runner.query('rollback'));
  } finally {
    await runner.release();
  }
}
