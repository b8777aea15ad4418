import type { Scenario } from './scenario.js';
import { behindABacklog } from './scenarios/backlogs.js';
import {
  broadcastCanceled,
  broadcastFlushed,
  broadcastKilled,
  broadcastWithoutPostgres,
} from './scenarios/broadcasts.js';
import { canceledWhenDue } from './scenarios/cancellations.js';
import { noFault } from './scenarios/no-fault.js';
import { extraProcesses } from './scenarios/extra-processes.js';
import { eventFlood } from './scenarios/event-flood.js';
import { storeAwayInFlood } from './scenarios/event-store-flood.js';
import { storeHung, storeKilled, storeLate, writersKilled } from './scenarios/event-store-outages.js';
import { flusherKilledBeforeAck, poisonedEntries, repeatedEntries } from './scenarios/event-stream.js';
import {
  acceptedAndReported,
  apiKilledBeforeEnqueue,
  randomKills,
  workerKilledAfterDot,
  workerKilledAfterAcceptance,
  workerKilledBeforeCall,
  workerKilledTenTimes,
} from './scenarios/killed-processes.js';
import { behindPgBouncer } from './scenarios/pgbouncer.js';
import { longSnapshot } from './scenarios/long-snapshot.js';
import { commitWithoutResponse, postgresReadsOnly, postgresRestart } from './scenarios/postgres-outages.js';
import { providerEvents } from './scenarios/provider-events.js';
import { providerThrottles } from './scenarios/provider-throttling.js';
import { postgresDiskFull, redisDiskFull } from './scenarios/full-disks.js';
import { logDiskFull } from './scenarios/full-log-disk.js';
import { spoolDiskFull } from './scenarios/full-spool.js';
import { clusterFailover, readinessFollowed, redisDemoted, sentinelFailover } from './scenarios/redis-failovers.js';
import {
  redisFull,
  redisFlushed,
  redisHung,
  redisLostToSomeWorkers,
  redisRestart,
  redisRestored,
} from './scenarios/redis-outages.js';
import { clocksMonthsOff, skewedClocks } from './scenarios/skewed-clocks.js';
import { rollingRestarts, workerFrozen } from './scenarios/process-signals.js';
import { asynchronousStandby, synchronousStandby } from './scenarios/standbys.js';
import { twoBuilds } from './scenarios/two-builds.js';

/**
 * What `npm test` runs, and `npm run faults` without arguments. The faults follow each other without a pause, and the
 * run waits for all recoveries together. So the slowest recoveries come first: others take over the entries of a killed
 * flusher after a minute, the emails of a killed worker after half a minute, and emails whose jobs Redis never received
 * after a quarter. Only the emptied Redis comes before them, while it holds nothing of other scenarios.
 */
export const SUITE: readonly Scenario[] = [
  redisFlushed,
  noFault,
  flusherKilledBeforeAck,
  randomKills(20),
  workerKilledBeforeCall,
  workerKilledAfterAcceptance,
  redisRestart(15, 'F07'),
  apiKilledBeforeEnqueue,
  extraProcesses,
  repeatedEntries,
  poisonedEntries,
  behindABacklog(3_000, 'F32'),
  providerThrottles,
  postgresRestart,
];

/** What runs only by command, one after the other, because each takes minutes. */
export const BY_COMMAND: readonly Scenario[] = [
  broadcastKilled(1_000, 'F51'),
  broadcastFlushed(1_000, 'F53'),
  broadcastWithoutPostgres(1_000, 'F54'),
  broadcastCanceled(1_000, 'F55'),
  broadcastKilled(10_000, 'F51-10k'),
  broadcastFlushed(10_000, 'F53-10k'),
  broadcastWithoutPostgres(10_000, 'F54-10k'),
  broadcastCanceled(10_000, 'F55-10k'),
  canceledWhenDue(80, 'F52'),
  workerKilledAfterDot,
  acceptedAndReported,
  workerKilledTenTimes,
  workerFrozen,
  redisHung,
  redisLostToSomeWorkers,
  redisRestored,
  redisFull(20, 'F12'),
  redisDemoted,
  readinessFollowed,
  sentinelFailover,
  clusterFailover,
  commitWithoutResponse,
  skewedClocks,
  clocksMonthsOff,
  postgresReadsOnly,
  behindPgBouncer('session', 'F41-session'),
  behindPgBouncer('transaction', 'F41-transaction'),
  synchronousStandby,
  asynchronousStandby,
  storeLate,
  storeKilled,
  writersKilled,
  storeHung,
  storeAwayInFlood(150, 'F57-150'),
  longSnapshot(200_000, 'F42'),
  postgresDiskFull,
  logDiskFull,
  redisDiskFull,
  spoolDiskFull,
  rollingRestarts(3),
  twoBuilds(),
  eventFlood(60, 'F33'),
  eventFlood(300, 'F33-300'),
  providerEvents(10_000, 80, 'F50'),
  behindABacklog(20_000, 'F32-20k'),
  behindABacklog(100_000, 'F32-100k'),
  behindABacklog(1_000_000, 'F31'),
  redisRestart(60),
  redisRestart(600),
  redisFull(180),
  randomKills(200),
];
