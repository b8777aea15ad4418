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
 * A deadline that begins when it is first needed. Unlike the signal of `AbortSignal.timeout`, its signal aborts only once
 * what had arrived is read: a process that stood still runs its timers first.
 */
export class Deadline {
  private readonly controller = new AbortController();
  private timer: NodeJS.Timeout | undefined;

  constructor(private readonly milliseconds: number) {}

  /** @returns the signal that aborts at the deadline */
  begin(): AbortSignal {
    this.timer ??= setTimeout(() => setImmediate(() => this.pass()), this.milliseconds);
    return this.controller.signal;
  }

  get hasPassed(): boolean {
    return this.controller.signal.aborted;
  }

  /** Must be called once nothing needs the deadline any more. */
  end(): void {
    clearTimeout(this.timer);
  }

  private pass(): void {
    this.controller.abort(new DOMException('The deadline has passed', 'TimeoutError'));
  }
}

/** Makes a call whose signal aborts at its deadline, as that of `Deadline`. */
export async function abortAfter<Result>(
  milliseconds: number,
  call: (signal: AbortSignal) => Promise<Result>,
): Promise<Result> {
  const deadline = new Deadline(milliseconds);
  try {
    return await call(deadline.begin());
  } finally {
    deadline.end();
  }
}
