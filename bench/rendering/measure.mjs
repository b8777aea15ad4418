import { performance } from 'node:perf_hooks';

const SAMPLE_MS = 30;
const ROUNDS = 21;

/**
 * Milliseconds per call of each function, as the median over rounds in which they take turns: what disturbs the
 * machine for a while disturbs them all.
 * @param {Record<string, () => unknown>} functions
 */
export function medians(functions, rounds = ROUNDS) {
  const entries = Object.entries(functions).map(([name, run]) => ({
    name,
    run,
    times: callsPerSample(run),
    samples: [],
  }));
  for (let round = 0; round < rounds; round++) {
    for (const entry of entries) entry.samples.push(sample(entry.run, entry.times));
  }
  return Object.fromEntries(
    entries.map(({ name, samples }) => [name, samples.sort((a, b) => a - b)[samples.length >> 1]]),
  );
}

function callsPerSample(run) {
  // Long enough for the optimizing compiler to have had its say.
  const warmUp = performance.now();
  let calls = 0;
  while (performance.now() - warmUp < 200) {
    run();
    calls++;
  }
  return Math.max(1, Math.round((calls * SAMPLE_MS) / (performance.now() - warmUp)));
}

function sample(run, calls) {
  const start = performance.now();
  for (let call = 0; call < calls; call++) run();
  return (performance.now() - start) / calls;
}
