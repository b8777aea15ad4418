type Reading<Value> = Value | undefined | false;

const INTERVAL_MS = 20;
const DEFAULT_LIMIT_MS = 10_000;
/** Jest ends a test after five minutes, without the condition that it waited for. */
const BEFORE_JEST_MS = 240_000;

/**
 * Polls until `read` returns something other than undefined or false, and returns that. Throws after as many polls as a
 * quiet machine makes within the limit. No time is measured: on a busy machine each poll takes longer, and so does the
 * work under test; a machine that stands still for a minute has missed a single poll.
 * @param limitMs longer where the work takes longer on a quiet machine, shorter where it must not take as long
 */
export async function eventually<Value>(
  read: () => Reading<Value> | Promise<Reading<Value>>,
  limitMs = DEFAULT_LIMIT_MS,
): Promise<Value> {
  const latest = performance.now() + Math.max(BEFORE_JEST_MS, limitMs);
  for (let polls = 1; ; polls++) {
    const value = await read();
    if (value !== undefined && value !== false) return value;
    if (polls > limitMs / INTERVAL_MS || performance.now() > latest)
      throw new Error(`Not within ${polls} polls (${limitMs} ms): ${read.toString()}`);
    await new Promise((resolve) => setTimeout(resolve, INTERVAL_MS));
  }
}

/** For promises of a second on a machine that is not overloaded: a second, or as many polls as fit into it there. */
export function withinASecond<Value>(read: () => Reading<Value> | Promise<Reading<Value>>): Promise<Value> {
  return eventually(read, 1_000);
}

/** Settles as `work` does, if that takes no more polls than a quiet machine makes within the limit. */
export async function settledWithin<Value>(limitMs: number, work: Promise<Value>): Promise<Value> {
  let isSettled = false;
  const settle = (): void => void (isSettled = true);
  void work.then(settle, settle);
  await eventually(() => isSettled, limitMs);
  return work;
}
