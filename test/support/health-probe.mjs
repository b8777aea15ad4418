import { readFileSync } from 'node:fs';
import process from 'node:process';

/* global AbortSignal, fetch, performance */

// Requests the health of a process repeatedly until standard input ends, then prints the longest wait for a response:
// health-probe.mjs ADDRESS PID. It runs in a process of its own so that the attack does not slow it down. A wait is the
// time by the clock or the processor time of the probed process, in milliseconds, whichever is less: a busy machine
// lengthens the one, and threads that the response does not wait for lengthen the other.
const [address, pid] = process.argv.slice(2);
const MS_PER_TICK = 10;

function processorMs() {
  const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  return (Number(fields[11]) + Number(fields[12])) * MS_PER_TICK;
}

let probing = true;
process.stdin.on('end', () => (probing = false)).resume();
let longest = 0;
do {
  const [startedAt, before] = [performance.now(), processorMs()];
  const answer = await fetch(`${address}/health/live`, { signal: AbortSignal.timeout(60_000) });
  if (!answer.ok) throw new Error(`${answer.status}`);
  longest = Math.max(longest, Math.min(performance.now() - startedAt, processorMs() - before));
  await answer.arrayBuffer();
} while (probing);
process.stdout.write(String(longest));
process.exit(0);
