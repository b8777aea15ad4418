import { setTimeout } from 'node:timers/promises';
import { requestPaths, post } from '../framework/http-load.mjs';
import { ratio, summary, takeTurns } from '../framework/rounds.mjs';

const CONNECTIONS = 64;
const OURS = 'ours';

/**
 * Compares our processes with another sender: emails over SMTP, then clicks. An email counts when the mail server has
 * it, a click when the database has it.
 * @param {Contestant} ours
 * @param {Contestant & { name: string }} other
 * @typedef {{ stub: object, send: object, pids: Record<string, number>, clicks: () => Promise<Clicks> }} Contestant
 *   `stub` is its own mail server; `send` has the parameters of `post` besides the load; `pids` are processes by column
 * @typedef {{ address: string, paths: string[], pids: Record<string, number>, settled: () => Promise<unknown>,
 *   stored: () => Promise<number> }} Clicks
 *   `settled` resolves when every click with a response is stored; `stored` resolves to the number of stored clicks
 */
export async function compareWith(other, ours, { services, quick }) {
  const seconds = quick ? 2 : 5;
  const rounds = quick ? { rounds: 1, mostRounds: 1 } : { rounds: 3, mostRounds: 5 };
  const pairs = [{ ...ours, name: OURS }, other];
  const sends = await measured(
    pairs.map((one) => sender(services, one, seconds)),
    rounds,
  );
  const clickers = [];
  for (const { name, clicks } of pairs) clickers.push(clicker(services, name, await clicks(), seconds));
  const clicks = await measured(clickers, rounds);
  return {
    title: `Against ${other.name}`,
    samples: { ...named(sends, 'emails over SMTP'), ...named(clicks, 'clicks') },
    tables: [table(sends, 'emails'), table(clicks, 'clicks')],
    figures: [...figures(sends, other.name, 'Emails', 'an email'), ...figures(clicks, other.name, 'Clicks', 'a click')],
  };
}

/** Runs each contestant once before, because code is not optimized at first. */
async function measured(contestants, rounds) {
  for (const { work } of contestants) await work();
  return takeTurns(contestants, rounds);
}

function sender(services, { name, stub, send, pids }, seconds) {
  const load = { ...send, seconds, connections: CONNECTIONS, directory: services.directory };
  const work = async () => {
    const before = await stub.accepted();
    const { units } = await post(load);
    // A request that the load no longer waits for may still become an email, whose cost is then part of this slice.
    let accepted = before;
    while (accepted - before < Math.max(1, units)) {
      await setTimeout(20);
      accepted = await stub.accepted();
    }
    return { units: accepted - before };
  };
  return { name, pids, work };
}

function clicker(services, name, { address, paths, pids, settled, stored }, seconds) {
  const load = { address, paths, seconds, connections: CONNECTIONS, directory: services.directory };
  const work = async () => {
    const before = await stored();
    const startedAt = Date.now();
    const { units } = await requestPaths(load);
    await settled();
    const took = (Date.now() - startedAt) / 1000;
    const more = (await stored()) - before;
    if (more < units) throw new Error(`${name}: ${units} clicks got a response and ${more} were stored`);
    return { units, seconds: took };
  };
  return { name, pids, work };
}

function named(samples, kind) {
  return Object.fromEntries(Object.entries(samples).map(([name, rows]) => [`${name}, ${kind}`, rows]));
}

function table(samples, units) {
  const median = (rounds, read) => summary(rounds, read).median.toFixed(0);
  const columns = [...new Set(Object.values(samples).flatMap(([{ cpuUs }]) => Object.keys(cpuUs)))];
  return {
    header: ['', `${units}/s`, ...[...columns, 'all'].map((column) => `${column} µs`)],
    rows: Object.entries(samples).map(([name, rounds]) => [
      name,
      median(rounds, ({ perSecond }) => perSecond),
      ...columns.map((column) => (column in rounds[0].cpuUs ? median(rounds, ({ cpuUs }) => cpuUs[column]) : '')),
      median(rounds, allCpu),
    ]),
  };
}

function figures(samples, name, units, one) {
  const of = (read) => ratio(samples[OURS], samples[name], read);
  return [
    { name: `${units}/s against ${name}`, ...of(({ perSecond }) => perSecond) },
    { name: `CPU of all processes for ${one} against ${name}`, ...of(allCpu) },
  ];
}

function allCpu({ cpuUs }) {
  return Object.values(cpuUs).reduce((sum, us) => sum + us, 0);
}
