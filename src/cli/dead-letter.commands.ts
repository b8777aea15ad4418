import type { Command } from 'commander';
import { AuditLog, operatorOf } from '../organizations/audit/record-audit.js';
import { isUuid } from '../platform/clock/uuid-v7.js';
import type { Sql } from '../platform/database/database.js';
import { InvalidFieldError } from '../platform/errors/domain-error.js';
import { OperatorError } from '../platform/errors/operator-error.js';
import { hasDeadLetter, listDeadLetters, purgeDeadLetters } from '../events/dead-letters/dead-letters.js';
import { redriveDeadLetters } from '../events/dead-letters/redrive-dead-letters.js';
import { appendEntry } from '../events/stream/append-entry.js';
import { printJson, withDatabase, withRedis } from './command-context.js';
import { limitOption } from './limit-option.js';

export function addDeadLetterCommands(program: Command, projectDirectory: string): void {
  const deadLetters = program.command('dead-letters').description('events that could not be stored');
  deadLetters
    .command('list')
    .description('list the newest dead letters with their reasons')
    .addOption(limitOption())
    .action(async ({ limit }: { limit: number }) => {
      const letters = await withDatabase(projectDirectory, (database) => listDeadLetters(database, limit));
      printJson(letters.map(({ payload, ...letter }) => ({ ...letter, bytes: payload.length })));
    });
  deadLetters
    .command('redrive')
    .description('return events to the stream: one by its ID, or all current ones')
    .option('--id <id>', 'ID of a dead letter')
    .option('--all', 'all dead letters')
    .action(({ id, all }: { id?: string; all?: boolean }) => redrive(projectDirectory, id, all === true));
  deadLetters
    .command('purge')
    .description('delete dead letters older than a number of days')
    .requiredOption('--older-than <days>', 'minimum age in days')
    .action(({ olderThan }: { olderThan: string }) => purge(projectDirectory, olderThan));
}

const WHY_LEFT = `Dead letters stay whose events may be counted already: those are so old that Postgres could not recognize
them, and would count them twice. Delete them with \`dead-letters purge\`.`;

async function redrive(projectDirectory: string, id: string | undefined, all: boolean): Promise<void> {
  if (all === (id !== undefined)) throw new InvalidFieldError('redrive', 'takes either --id or --all');
  if (id !== undefined && !isUuid(id)) throw new InvalidFieldError('id', 'must be the ID of a dead letter');
  const result = await withRedis(projectDirectory, (redis) =>
    withDatabase(projectDirectory, async (database) => {
      if (id !== undefined && !(await hasDeadLetter(database, id)))
        throw new OperatorError(`No dead letter has the ID ${id}: it may have been redriven or purged`);
      await record(database, 'dead-letters.replayed', { id: id ?? null });
      return redriveDeadLetters(database, (payload) => appendEntry(redis, payload), id === undefined ? 'all' : { id });
    }),
  );
  printJson(result);
  if (result.left > 0) throw new OperatorError(WHY_LEFT);
}

async function purge(projectDirectory: string, days: string): Promise<void> {
  if (!/^\d{1,5}$/.test(days)) throw new InvalidFieldError('older-than', 'must be a whole number of days up to 99999');
  const purged = await withDatabase(projectDirectory, async (database) => {
    await record(database, 'dead-letters.deleted', { olderThanDays: Number(days) });
    return purgeDeadLetters(database, Number(days));
  });
  printJson({ purged });
}

/** Recorded before the work, which takes many transactions. */
function record(
  sql: Sql,
  action: 'dead-letters.replayed' | 'dead-letters.deleted',
  details: Readonly<Record<string, unknown>>,
): Promise<void> {
  return AuditLog.record(sql, { ...operatorOf(null), action, target: { kind: 'dead-letters', id: null }, details });
}
