import { setTimeout } from 'node:timers/promises';
import { slice, summary } from '../framework/rounds.mjs';

const ROLES = ['api', 'tracking', 'worker', 'flusher'];
/** Time until no work of the start remains, including garbage collection. */
const SETTLE_MS = 90_000;
const ROUND_MS = 30_000;

/** The cost of an idle service: a process of each role, and both stores. */
export async function run({ services, quick }) {
  const backend = await services.migratedBackend();
  const pids = { redis: services.redis.pid, postgres: services.postgres.pid };
  for (const role of ROLES) pids[role] = (await services.ours(role, backend)).pid;
  await setTimeout(quick ? 5_000 : SETTLE_MS);
  const work = async () => {
    await setTimeout(quick ? 5_000 : ROUND_MS);
    return { units: 1 };
  };
  const rounds = [];
  for (let round = 0; round < (quick ? 1 : 3); round++) rounds.push(await slice({ pids, work }));
  return { title: 'Idle', samples: { idle: rounds }, tables: [table(rounds)], figures: [total(rounds)] };
}

/** Milliseconds of processor time per second. */
function perSecond({ cpuUs, perSecond: roundsPerSecond }, names = Object.keys(cpuUs)) {
  return (names.reduce((sum, name) => sum + cpuUs[name], 0) / 1000) * roundsPerSecond;
}

function table(rounds) {
  const names = Object.keys(rounds[0].cpuUs);
  const rows = names.map((name) => [name, summary(rounds, (round) => perSecond(round, [name])).median.toFixed(2)]);
  return { header: ['', 'CPU ms per second'], rows };
}

function total(rounds) {
  return {
    name: 'Processor time per second of all roles and stores',
    ...summary(rounds, (round) => perSecond(round)),
    atMost: 4,
    unit: ' ms',
  };
}
