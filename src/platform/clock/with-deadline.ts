/** Work took longer than its deadline. The message is safe to show. */
export class DeadlineError extends Error {
  constructor() {
    super('no response in time');
  }
}

/**
 * Waits for `work`, at most until its deadline. Work that takes longer continues, and its outcome is ignored.
 * @throws DeadlineError, and the errors of `work`
 */
export async function withDeadline<Result>(milliseconds: number, work: Promise<Result>): Promise<Result> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_, reject) => {
    // Read a response that has already arrived first: a busy process must not report a timeout of another one.
    timer = setTimeout(() => setImmediate(() => reject(new DeadlineError())), milliseconds);
  });
  try {
    return await Promise.race([work, late]);
  } finally {
    clearTimeout(timer);
  }
}

/**
 * Makes a call whose signal aborts at its deadline. Unlike that of `AbortSignal.timeout`, it aborts only once what had
 * arrived is read: a process that stood still runs its timers first.
 */
export async function abortAfter<Result>(
  milliseconds: number,
  call: (signal: AbortSignal) => Promise<Result>,
): Promise<Result> {
  const controller = new AbortController();
  const abort = (): void => controller.abort(new DOMException('The deadline has passed', 'TimeoutError'));
  const timer = setTimeout(() => setImmediate(abort), milliseconds);
  try {
    return await call(controller.signal);
  } finally {
    clearTimeout(timer);
  }
}
