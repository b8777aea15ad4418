import { decodeEntries } from '../../src/events/ingest/decode-entries.js';
import type { FlushResult } from '../../src/events/ingest/flush-batch.js';
import { BATCH_EVENTS, flushDecoded, type FlushSettings } from '../../src/events/ingest/flush-entries.js';
import { ALL_RULES_OFF } from '../../src/events/ingest/rules/hit.js';
import type { StreamEntry } from '../../src/events/stream/stream-entry.js';
import type { Database } from '../../src/platform/database/database.js';

const WITHOUT_RULES: FlushSettings = { SOFT_BOUNCE_LIMIT: 5, ...ALL_RULES_OFF };

/** Writes entries to Postgres as the flusher does. @returns the sum of the results of all transactions */
export async function flushEntries(
  database: Database,
  entries: readonly StreamEntry[],
  settings: Partial<FlushSettings> = {},
): Promise<FlushResult> {
  const results: FlushResult[] = [];
  const batches = { events: BATCH_EVENTS, stored: (result: FlushResult) => void results.push(result) };
  await flushDecoded(database, decodeEntries(entries), { ...WITHOUT_RULES, ...settings }, batches);
  return {
    stored: results.reduce((total, result) => total + result.stored, 0),
    repeated: results.reduce((total, result) => total + result.repeated, 0),
    dropped: results.reduce((total, result) => total + result.dropped, 0),
    deadLetters: results.flatMap((result) => result.deadLetters),
    webhookDeliveries: results.flatMap((result) => result.webhookDeliveries),
    fullEndpoints: results.reduce((most, result) => Math.max(most, result.fullEndpoints), 0),
    reports: results.flatMap((result) => result.reports),
    live: results.flatMap((result) => result.live),
  };
}
