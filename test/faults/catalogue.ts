import type { Scenario } from './scenario.js';
import { behindABacklog } from './scenarios/backlogs.js';
import { threeCopies } from './scenarios/copies.js';
import { eventFlood } from './scenarios/event-flood.js';
import { flusherKilledBeforeAck, poisonedEntries, repeatedEntries } from './scenarios/event-trouble.js';
import {
  apiKilledBeforeEnqueue,
  randomKills,
  workerKilledAfterDot,
  workerKilledAfterAcceptance,
  workerKilledBeforeCall,
  workerKilledTenTimes,
} from './scenarios/killed-processes.js';
import { commitUnanswered, postgresRestart } from './scenarios/postgres-trouble.js';
import { providerThrottles } from './scenarios/provider-trouble.js';
import { postgresDiskFull, redisDiskFull } from './scenarios/full-disks.js';
import {
  redisFull,
  redisFlushed,
  redisHung,
  redisLostToSomeWorkers,
  redisRestart,
  redisRestored,
} from './scenarios/redis-trouble.js';
import { skewedClocks } from './scenarios/skewed-clocks.js';
import { rollingRestarts, workerFrozen } from './scenarios/slow-processes.js';
import { twoBuilds } from './scenarios/two-builds.js';

/**
 * What `npm test` plays, and `npm run faults` without a name. The faults follow each other at once and are waited for
 * together, those first after which most is to be waited for: what a killed flusher held is taken over after a minute,
 * what a killed worker held after half of one, and jobs that a Redis that was away never got after a quarter. Only a
 * Redis that is emptied comes before all, while nothing else is in it.
 */
export const SUITE: readonly Scenario[] = [
  redisFlushed,
  flusherKilledBeforeAck,
  randomKills(20),
  workerKilledBeforeCall,
  workerKilledAfterAcceptance,
  redisRestart(15, 'F07'),
  apiKilledBeforeEnqueue,
  threeCopies,
  repeatedEntries,
  poisonedEntries,
  behindABacklog(3_000, 'F32'),
  providerThrottles,
  postgresRestart,
];

/** What it plays besides by name, one after the other: they take minutes. */
export const BY_COMMAND: readonly Scenario[] = [
  workerKilledAfterDot,
  workerKilledTenTimes,
  workerFrozen,
  redisHung,
  redisLostToSomeWorkers,
  redisRestored,
  redisFull,
  commitUnanswered,
  skewedClocks,
  postgresDiskFull,
  redisDiskFull,
  rollingRestarts,
  twoBuilds(),
  eventFlood(60),
  behindABacklog(20_000, 'F32-20k'),
  behindABacklog(100_000, 'F32-100k'),
  behindABacklog(1_000_000, 'F31'),
  redisRestart(60),
  redisRestart(600),
  randomKills(200),
];
