type Reading<Value> = Value | undefined | false;

const INTERVAL_MS = 20;
const DEFAULT_TIMEOUT_MS = 10_000;

/**
 * Polls until `read` returns something other than undefined or false, and returns that. Throws at the deadline.
 * @param timeoutMs needed where the time itself is under test, or where the default is too short. Without it, the
 *   deadline also waits for as many polls as a quiet machine makes: on a busy machine each poll takes longer, and so
 *   does the work under test.
 */
export function eventually<Value>(
  read: () => Reading<Value> | Promise<Reading<Value>>,
  timeoutMs?: number,
): Promise<Value> {
  if (timeoutMs !== undefined) return poll(read, timeoutMs, 0);
  return poll(read, DEFAULT_TIMEOUT_MS, DEFAULT_TIMEOUT_MS / INTERVAL_MS);
}

/** For promises of a second on a machine that is not overloaded: a second, or as many polls as fit into it there. */
export function withinASecond<Value>(read: () => Reading<Value> | Promise<Reading<Value>>): Promise<Value> {
  return poll(read, 1_000, 1_000 / INTERVAL_MS);
}

async function poll<Value>(
  read: () => Reading<Value> | Promise<Reading<Value>>,
  timeoutMs: number,
  leastPolls: number,
): Promise<Value> {
  const deadline = performance.now() + timeoutMs;
  for (let polls = 1; ; polls++) {
    const value = await read();
    if (value !== undefined && value !== false) return value;
    if (performance.now() > deadline && polls >= leastPolls)
      throw new Error(`Not within ${timeoutMs} ms and ${polls} polls: ${read.toString()}`);
    await new Promise((resolve) => setTimeout(resolve, INTERVAL_MS));
  }
}
