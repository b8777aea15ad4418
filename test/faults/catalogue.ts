import type { Scenario } from './scenario.js';
import { behindABacklog } from './scenarios/backlogs.js';
import { threeCopies } from './scenarios/copies.js';
import { flusherKilledBeforeAck, poisonedEntries, repeatedEntries } from './scenarios/event-trouble.js';
import {
  apiKilledBeforeEnqueue,
  randomKills,
  workerKilledAfterAcceptance,
  workerKilledBeforeCall,
  workerKilledTenTimes,
} from './scenarios/killed-processes.js';
import { commitUnanswered, postgresRestart } from './scenarios/postgres-trouble.js';
import { providerThrottles } from './scenarios/provider-trouble.js';
import {
  redisFull,
  redisFlushed,
  redisHung,
  redisLostToSomeWorkers,
  redisRestart,
  redisRestored,
} from './scenarios/redis-trouble.js';
import { rollingRestarts, workerFrozen } from './scenarios/slow-processes.js';

/**
 * What `npm run faults` plays without a name, in acts: the faults of an act follow each other at once and are waited for together. Those
 * that would repair what an earlier one broke, or destroy what is left of it, come in a later act.
 */
export const SUITE: readonly (readonly Scenario[])[] = [
  [
    apiKilledBeforeEnqueue,
    workerKilledBeforeCall,
    workerKilledAfterAcceptance,
    flusherKilledBeforeAck,
    threeCopies,
    repeatedEntries,
    poisonedEntries,
    behindABacklog('F32', 20_000),
  ],
  [postgresRestart],
  [redisFlushed, providerThrottles],
];

/** What it plays besides by name, one after the other: they take minutes. */
export const BY_COMMAND: readonly Scenario[] = [
  randomKills(20),
  redisRestart(15),
  workerKilledTenTimes,
  workerFrozen,
  redisHung,
  redisLostToSomeWorkers,
  redisRestored,
  redisFull,
  commitUnanswered,
  rollingRestarts,
  behindABacklog('F31', 1_000_000),
  behindABacklog('F32', 100_000),
  redisRestart(60),
  redisRestart(600),
  randomKills(200),
];
