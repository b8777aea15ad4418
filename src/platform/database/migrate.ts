import { setTimeout } from 'node:timers/promises';
import { MigrationExecutor, type DataSource, type QueryRunner } from 'typeorm';
import { OperatorError } from '../errors/operator-error.js';
import { createDataSource, poolOf } from './data-source.js';
import { Database } from './database.js';
import { DatabaseUnreachableError } from './open-database.js';
import { refuseBrokenSchema } from './schema-check.js';

/** One lock for all processes that start at once; the number is arbitrary but must never change. */
const MIGRATION_LOCK = 7_219_533_004;

/**
 * Whoever waits for a lock on a table stops everybody who comes after: so a migration waits no longer than this at a
 * time, lets the others pass and tries again.
 */
const LOCK_TIMEOUT = '1s';
const PAUSE_MS = 2_000;
/** A lock that was not given in time, and a deadlock with somebody who is at work. */
const BLOCKED = ['55P03', '40P01'];

export interface MigrationOptions {
  /** How long it tries to get its locks, in milliseconds. */
  readonly patienceMs?: number;
  /** Is told, once, that it has to wait. */
  readonly onBlocked?: (reason: string) => void;
}

/** Thrown when others have held a table for as long as a migration waits. What was done until then stays. */
export class MigrationBlockedError extends OperatorError {
  constructor(reason: string) {
    super(
      `A table could not be changed because others keep it locked (${reason}): a backup, or a long transaction in ` +
        'pg_stat_activity. Run the migration again once that is over.',
    );
  }
}

/**
 * Brings the schema to this build's version, or leaves it at a newer one. Safe to run from several processes at once
 * and beside a service at work.
 * @throws DatabaseUnreachableError, MigrationBlockedError
 * @throws SchemaMismatchError when the schema is too new for this build
 */
export async function migrate(
  url: string,
  { patienceMs = 600_000, onBlocked = () => undefined }: MigrationOptions = {},
): Promise<void> {
  const dataSource = await openDataSource(url);
  const giveUpAt = performance.now() + patienceMs;
  try {
    for (let tries = 1; ; tries++) {
      const blocked = await tryToMigrate(dataSource);
      if (blocked === undefined) return;
      if (performance.now() > giveUpAt) throw new MigrationBlockedError(blocked);
      if (tries === 1) onBlocked(blocked);
      await setTimeout(PAUSE_MS);
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

/** Resolves with the reason when others were in the way. */
async function tryToMigrate(dataSource: DataSource): Promise<string | undefined> {
  try {
    await withMigrationLock(dataSource, async () => {
      await refuseBrokenSchema(new Database(poolOf(dataSource)));
      await runPending(dataSource);
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
    setLockTimeouts(runner);
    const executor = new MigrationExecutor(dataSource, runner);
    executor.transaction = 'each';
    await executor.executePendingMigrations();
  } finally {
    await runner.release();
  }
}

/** What runs outside a transaction builds or drops indexes concurrently, and stops nobody while it waits. */
function setLockTimeouts(runner: QueryRunner): void {
  const start = runner.startTransaction.bind(runner);
  runner.startTransaction = async (isolation) => {
    await start(isolation);
    await runner.query(`set local lock_timeout = '${LOCK_TIMEOUT}'`);
  };
}

/**
 * The lock belongs to a transaction, which a pooler leaves in its session. It is asked for and not waited for: building
 * an index concurrently waits for every statement that began before, one that waits for this lock among them.
 */
async function withMigrationLock(dataSource: DataSource, work: () => Promise<void>): Promise<void> {
  const runner = dataSource.createQueryRunner();
  try {
    for (;;) {
      await runner.query('begin; set local idle_in_transaction_session_timeout = 0');
      const [row] = (await runner.query(`select pg_try_advisory_xact_lock(${MIGRATION_LOCK}) as ours`)) as [
        { ours: boolean },
      ];
      if (row.ours) break;
      await runner.query('rollback');
      await setTimeout(200);
    }
    await work().finally(() => runner.query('rollback'));
  } finally {
    await runner.release();
  }
}
