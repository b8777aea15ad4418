import console from 'node:console';
import { between, ProcessorTimes } from './processor-time.mjs';

/** A round counts as quiet if other programs use at most this share of one core. */
export const QUIET_CORES = 0.3;

/**
 * Runs contestants in turn, round by round, so that a temporary disturbance of the machine affects all of them.
 * Rounds continue until enough of them were quiet, or until there is no time left.
 * @param {{ name: string, pids: Record<string, number>, work: () => Promise<{ units: number }>,
 *   leadIn?: () => Promise<unknown> }[]} contestants `work` does one slice of work and returns the number of units,
 *   with other measurements; `leadIn` runs before each slice and is not measured
 * @param {{ rounds: number, mostRounds: number }} options
 * @returns for each contestant one sample per round
 */
export async function takeTurns(contestants, { rounds, mostRounds }) {
  const samples = Object.fromEntries(contestants.map(({ name }) => [name, []]));
  const quiet = (index) => contestants.every(({ name }) => samples[name][index].foreign <= QUIET_CORES);
  for (let round = 0, quietRounds = 0; quietRounds < rounds && round < mostRounds; round++) {
    for (const contestant of turned(contestants, round)) samples[contestant.name].push(await slice(contestant));
    if (quiet(round)) quietRounds++;
    console.error(`  round ${round + 1}: ${quiet(round) ? 'quiet' : 'others were busy'}`);
  }
  return samples;
}

/**
 * Each contestant runs first once, so that the one after the slowest does not always meet the same machine state.
 */
function turned(list, by) {
  const at = by % list.length;
  return [...list.slice(at), ...list.slice(0, at)];
}

/** One piece of work, with the processor time of each process per unit. */
export async function slice({ pids, work, leadIn }) {
  await leadIn?.();
  const before = new ProcessorTimes();
  const done = await work();
  const { elapsedUs, spent, foreign } = between(before, new ProcessorTimes(), pids);
  const { units, seconds = elapsedUs / 1e6 } = done;
  const cpuUs = Object.fromEntries(Object.entries(spent).map(([name, us]) => [name, us / units]));
  return { ...done, perSecond: units / seconds, cpuUs, foreign };
}

/** The quiet samples; all samples if none was quiet. */
export function quietOnes(samples) {
  const quiet = samples.filter(({ foreign }) => foreign <= QUIET_CORES);
  return quiet.length > 0 ? quiet : samples;
}

/** Median, least and most of what `read` finds in the quiet samples. */
export function summary(samples, read) {
  const values = quietOnes(samples)
    .map(read)
    .sort((a, b) => a - b);
  return { median: medianOf(values), least: values[0], most: values.at(-1) };
}

/** A value that was measured once, as a summary. */
export function measuredOnce(value) {
  return { median: value, least: value, most: value };
}

/** The ratio of two contestants, round by round, because both had the same conditions in a round. */
export function ratio(ours, theirs, read) {
  const pairs = ours.map((sample, index) => ({
    foreign: Math.max(sample.foreign, theirs[index].foreign),
    value: read(sample) / read(theirs[index]),
  }));
  return summary(pairs, ({ value }) => value);
}

function medianOf(sorted) {
  const middle = sorted.length >> 1;
  return sorted.length % 2 === 1 ? sorted[middle] : (sorted[middle - 1] + sorted[middle]) / 2;
}
