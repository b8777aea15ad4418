import process from 'node:process';

const SAMPLE_MS = 30;
const ROUNDS = 21;

/** Measures processor time, because elapsed time would include other work of the machine. */
function milliseconds() {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1000;
}

/**
 * Milliseconds per call of each function: the median over rounds in which they run in turn, so that a temporary
 * disturbance of the machine affects all of them.
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
  // Long enough for the optimizing compiler to finish.
  const warmUp = milliseconds();
  let calls = 0;
  while (milliseconds() - warmUp < 200) {
    run();
    calls++;
  }
  return Math.max(1, Math.round((calls * SAMPLE_MS) / (milliseconds() - warmUp)));
}

function sample(run, calls) {
  const start = milliseconds();
  for (let call = 0; call < calls; call++) run();
  return (milliseconds() - start) / calls;
}
