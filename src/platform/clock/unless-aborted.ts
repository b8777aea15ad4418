/**
 * Waits for `work` until the signal aborts. Work that takes longer continues, and its outcome is ignored.
 * @throws the signal's reason as soon as it aborts, and the errors of `work`
 */
export async function unlessAborted<Result>(signal: AbortSignal, work: () => Promise<Result>): Promise<Result> {
  signal.throwIfAborted();
  let abort: () => void;
  const aborted = new Promise<never>((_resolve, reject) => {
    abort = () => reject(signal.reason as Error);
    signal.addEventListener('abort', abort, { once: true });
  });
  try {
    return await Promise.race([work(), aborted]);
  } finally {
    signal.removeEventListener('abort', abort!);
  }
}
