/**
 * Start time of a thread's task, in shared memory, because a message per task would wake the main thread.
 * Milliseconds of the monotonic clock; 0 while the task waits.
 */
export type TaskStart = Float64Array<SharedArrayBuffer>;

export function newTaskStart(): TaskStart {
  return new Float64Array(new SharedArrayBuffer(Float64Array.BYTES_PER_ELEMENT));
}

export function markStart(start: TaskStart): void {
  start[0] = clock();
}

/** Milliseconds that the task has been running; 0 while it waits. */
export function runningMs([startedAt = 0]: TaskStart): number {
  return startedAt === 0 ? 0 : clock() - startedAt;
}

/** Milliseconds of a clock that is the same for all threads. */
function clock(): number {
  return Number(process.hrtime.bigint()) / 1e6;
}
