import type { Database } from '../../platform/database/database.js';
import { recordRecipientFacts, type RecordedFacts } from '../../emails/recipients/record-recipient-facts.js';
import type { RecipientEvent } from '../recipient-event.js';
import type { FlushResult, ReceivedEvent } from './flush-batch.js';
import { isUniqueViolation } from '../../platform/database/unique-violation.js';

/**
 * Stores reports about recipients in one transaction. Like `flushBatch`, it first assumes that all are new.
 * @throws the error of Postgres; then nothing of the batch is stored
 */
export async function flushReports(
  database: Database,
  batch: readonly ReceivedEvent<RecipientEvent>[],
  softBounceLimit: number,
): Promise<FlushResult> {
  const events = batch.map(({ event }) => event);
  const store = (expectsNew: boolean): Promise<RecordedFacts> =>
    database.transaction((sql) => recordRecipientFacts(sql, events, { softBounceLimit, expectsNew }));
  const recorded = await store(true).catch((error: unknown) => {
    if (!isUniqueViolation(error)) throw error;
    return store(false);
  });
  const { stored, repeated, dropped, webhookDeliveries, fullEndpoints, live } = recorded;
  return {
    stored: 0,
    repeated: 0,
    dropped: 0,
    deadLetters: [],
    fullEndpoints,
    webhookDeliveries,
    reports: [{ stored, repeated, dropped }],
    live,
  };
}
