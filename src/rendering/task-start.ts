/**
 * When a task of a thread began, in memory that both threads see: a message would wake the other one for each task.
 * One number, in milliseconds of the machine's steady clock; 0 while the task waits.
 */
export type TaskStart = Float64Array<SharedArrayBuffer>;

export function newTaskStart(): TaskStart {
  return new Float64Array(new SharedArrayBuffer(Float64Array.BYTES_PER_ELEMENT));
}

export function markStart(start: TaskStart): void {
  start[0] = clock();
}

/** How long the task has been running; 0 while it waits. */
export function runningMs([startedAt = 0]: TaskStart): number {
  return startedAt === 0 ? 0 : clock() - startedAt;
}

/** Milliseconds from a moment that is the same for all threads. */
function clock(): number {
  return Number(process.hrtime.bigint()) / 1e6;
}
