import { readFileSync, readlinkSync } from 'node:fs';
import { basename } from 'node:path';

/**
 * When a thread's task started and which thread runs it, in shared memory, because a message per task would wake the
 * main thread. Milliseconds of the monotonic clock, 0 while the task waits; ID of the thread in Linux, 0 elsewhere.
 */
export type TaskStart = Float64Array<SharedArrayBuffer>;

/** The unit of processor time: hundredths of a second on every Linux that Node runs on. */
const TICK_MS = 10;

let ownThread: number | undefined;

export function newTaskStart(): TaskStart {
  return new Float64Array(new SharedArrayBuffer(2 * Float64Array.BYTES_PER_ELEMENT));
}

/** Call this in the thread. */
export function markStart(start: TaskStart): void {
  start[1] = ownThread ??= threadId();
  start[0] = clock();
}

/** Milliseconds that the task has been running; 0 while it waits. */
export function runningMs([startedAt = 0]: TaskStart): number {
  return startedAt === 0 ? 0 : clock() - startedAt;
}

/** Processor time of the thread since it began, in milliseconds, or undefined if the system does not report it. */
export function processorMs([, thread = 0]: TaskStart): number | undefined {
  if (thread === 0) return undefined;
  try {
    // proc(5): the fields follow the name, which is in parentheses and may contain any character.
    const fields = readFileSync(`/proc/self/task/${thread}/stat`, 'latin1')
      .replace(/^.*\) /s, '')
      .split(' ');
    return (Number(fields[11]) + Number(fields[12])) * TICK_MS || undefined;
  } catch {
    return undefined;
  }
}

function threadId(): number {
  try {
    return Number(basename(readlinkSync('/proc/thread-self')));
  } catch {
    return 0;
  }
}

/** Milliseconds of a clock that is the same for all threads. */
function clock(): number {
  return Number(process.hrtime.bigint()) / 1e6;
}
