import { readFileSync } from 'node:fs';
import process from 'node:process';

/* global AbortSignal, fetch */

// Requests the health of a process repeatedly until standard input ends, then prints the longest wait for a response:
// health-probe.mjs ADDRESS PID. It runs in a process of its own so that the attack does not slow it down. It measures
// the processor time of the probed process in milliseconds, not wall-clock time, because the machine may be busy.
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
  const before = processorMs();
  const response = await fetch(`${address}/health/live`, { signal: AbortSignal.timeout(60_000) });
  if (!response.ok) throw new Error(`${response.status}`);
  longest = Math.max(longest, processorMs() - before);
  await response.arrayBuffer();
} while (probing);
process.stdout.write(String(longest));
process.exit(0);
