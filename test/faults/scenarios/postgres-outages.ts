import { waitSeconds } from '../actions.js';
import type { Testbed } from '../testbed/testbed.js';
import type { SendResponse } from '../observations.js';
import { isRefusal, type SendRecord } from '../client-history.js';
import type { Scenario } from '../scenario.js';

export const postgresRestart: Scenario = {
  id: 'F14',
  fault: 'Postgres crashes during sends and flushes and is back after 3 s',
  withinMs: 90_000,
  async inject({ testbed, startTraffic, clients, expect }) {
    const load = startTraffic();
    await waitSeconds(1);
    await testbed.postgres.stop('immediate');
    await waitSeconds(3);
    await testbed.postgres.start();
    await waitSeconds(1);
    await load.stop();
    expect('every hit got a response', clients.history.hitsWithoutResponse === 0);
  },
};

const ROUNDS = 10;
/** The statement that records an outcome of a worker, and the last statement of a flush. */
const CUT_AFTER = { worker: 'mark-sent', flusher: 'commit' } as const;

export const commitWithoutResponse: Scenario = {
  id: 'F15',
  fault: `connections to Postgres cut between a commit and its response, ${ROUNDS} times for each worker and flusher`,
  withinMs: 120_000,
  async inject({ testbed, startTraffic, expect }) {
    const load = startTraffic();
    let cuts = 0;
    const cutAll = (role: keyof typeof CUT_AFTER) =>
      testbed.ofRole(role).map(({ proxies }) => proxies.postgres.cutAfter(CUT_AFTER[role]).then(() => cuts++));
    for (let round = 0; round < ROUNDS; round++) {
      await Promise.race([Promise.all([...cutAll('worker'), ...cutAll('flusher')]), waitSeconds(20)]);
    }
    await load.stop();
    expect(`${cuts} connections were cut`, cuts === ROUNDS * (testbed.workers.length + testbed.flushers.length));
  },
};

const READ_ONLY_SECONDS = 8;

export const postgresReadsOnly: Scenario = {
  id: 'F40',
  fault: `Postgres responds and refuses every write for ${READ_ONLY_SECONDS} s, like a former primary after a failover`,
  withinMs: 90_000,
  async inject({ testbed, startTraffic, clients, expect, note }) {
    const load = startTraffic();
    await waitSeconds(1);
    await refuseWrites(testbed, true);
    await waitSeconds(READ_ONLY_SECONDS);
    await refuseWrites(testbed, false);
    await waitSeconds(1);
    await load.stop();
    const { history } = clients;
    note(`${history.repeatedSends.length} sends were refused meanwhile, and accepted afterwards`);
    expect('writes were refused', history.repeatedSends.length > 0);
    const others = history.sends.flatMap(otherRefusals);
    expect(`every refusal was a 503 or a key still in use, none of them ${others.join(', ')}`, others.length === 0);
    expect('every hit got a response', history.hitsWithoutResponse === 0);
  },
};

/**
 * The key of a request that stored its email but not its response stays in use for a while. Its repetition then gets a
 * 409.
 */
function otherRefusals({ responses }: SendRecord): number[] {
  const unavailable = responses.findIndex(({ status }) => status === 503);
  const isKeyInUse = ({ status }: SendResponse, index: number) =>
    status === 409 && unavailable !== -1 && index > unavailable;
  return responses
    .filter((response, index) => isRefusal(response) && response.status !== 503 && !isKeyInUse(response, index))
    .map(({ status }) => status);
}

/** Open sessions apply it at once. */
async function refuseWrites({ database }: Testbed, refused: boolean): Promise<void> {
  await database.query(`alter system set default_transaction_read_only = ${refused ? 'on' : 'off'}`);
  await database.query('select pg_reload_conf()');
}
