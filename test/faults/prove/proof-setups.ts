import { DEFAULT_PROCESS_COUNTS, type ProcessCounts } from '../testbed/testbed-settings.js';
import { broadcastCanceled, broadcastFlushed, broadcastWithoutPostgres } from '../scenarios/broadcasts.js';
import { noFault } from '../scenarios/no-fault.js';
import { storeHung, storeKilled, storeLate } from '../scenarios/event-store-outages.js';
import { poisonedEntries, repeatedEntries } from '../scenarios/event-stream.js';
import {
  acceptedAndReported,
  apiKilledBeforeEnqueue,
  workerKilledAfterAcceptance,
} from '../scenarios/killed-processes.js';
import { providerEvents } from '../scenarios/provider-events.js';
import { providerThrottles } from '../scenarios/provider-throttling.js';
import { redisRestored } from '../scenarios/redis-outages.js';
import { rollingRestarts } from '../scenarios/process-signals.js';
import type { ProofSetup } from './planted-fault.js';

/** As few processes as possible: a proof spends most of its time on starting them. */
const ONE_OF_EACH: ProcessCounts = { api: 1, tracking: 1, worker: 1, flusher: 1, bounces: 0, smtp: 0 };

export const NO_FAULT: ProofSetup = { scenario: noFault, processCounts: ONE_OF_EACH, withinMs: 25_000 };
export const REPEATED_ENTRIES: ProofSetup = { scenario: repeatedEntries, processCounts: ONE_OF_EACH, withinMs: 25_000 };
export const POISONED_ENTRIES: ProofSetup = { scenario: poisonedEntries, processCounts: ONE_OF_EACH, withinMs: 25_000 };
export const THROTTLED: ProofSetup = { scenario: providerThrottles, processCounts: ONE_OF_EACH, withinMs: 20_000 };
export const API_KILLED: ProofSetup = {
  scenario: apiKilledBeforeEnqueue,
  processCounts: { ...ONE_OF_EACH, api: 2 },
  withinMs: 40_000,
};
export const WORKER_KILLED: ProofSetup = {
  scenario: workerKilledAfterAcceptance,
  processCounts: ONE_OF_EACH,
  withinMs: 60_000,
};
export const ACCEPTED_AND_REPORTED: ProofSetup = {
  scenario: acceptedAndReported,
  processCounts: ONE_OF_EACH,
  withinMs: 60_000,
};
export const REDIS_RESTORED: ProofSetup = {
  scenario: redisRestored,
  processCounts: ONE_OF_EACH,
  withinMs: 45_000,
  // A job that was active when the data was saved returns with its lock of 20 seconds.
  tidiedMs: 40_000,
};
export const ROLLING_RESTART: ProofSetup = {
  scenario: rollingRestarts(1),
  processCounts: { ...DEFAULT_PROCESS_COUNTS, worker: 1, flusher: 1 },
  withinMs: 15_000,
};
export const PROVIDER_EVENTS: ProofSetup = {
  scenario: providerEvents(1_500, 12, 'F50-short'),
  processCounts: ONE_OF_EACH,
  withinMs: 100_000,
  drainedMs: 120_000,
};

export const STORE_LATE: ProofSetup = { scenario: storeLate, processCounts: ONE_OF_EACH, withinMs: 60_000 };
export const STORE_KILLED: ProofSetup = { scenario: storeKilled, processCounts: ONE_OF_EACH, withinMs: 60_000 };
export const STORE_HUNG: ProofSetup = { scenario: storeHung, processCounts: ONE_OF_EACH, withinMs: 60_000 };

/** A mistake can stop a broadcast, so a proof does not wait for it as long as a fault run does. */
const BROADCAST_TIMEOUT_MS = 120_000;
export const BROADCAST_FLUSHED: ProofSetup = {
  scenario: broadcastFlushed(300, 'F53-short', BROADCAST_TIMEOUT_MS),
  processCounts: ONE_OF_EACH,
  withinMs: 60_000,
};
export const BROADCAST_WITHOUT_POSTGRES: ProofSetup = {
  scenario: broadcastWithoutPostgres(300, 'F54-short', BROADCAST_TIMEOUT_MS),
  processCounts: ONE_OF_EACH,
  withinMs: 60_000,
};
export const BROADCAST_CANCELED: ProofSetup = {
  scenario: broadcastCanceled(300, 'F55-short', BROADCAST_TIMEOUT_MS),
  processCounts: ONE_OF_EACH,
  withinMs: 60_000,
};
