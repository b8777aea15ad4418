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
    timer = afterReading(milliseconds, () => reject(new DeadlineError()));
  });
  try {
    return await Promise.race([work, late]);
  } finally {
    clearTimeout(timer);
  }
}

/** A deadline that begins when it is first needed. */
export class Deadline {
  private readonly controller = new AbortController();
  private timer: NodeJS.Timeout | undefined;

  constructor(private readonly milliseconds: number) {}

  /** @returns the signal that aborts at the deadline */
  begin(): AbortSignal {
    this.timer ??= afterReading(this.milliseconds, () => this.pass());
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

/** Makes a call whose signal aborts at its deadline. */
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

/**
 * A timer that acts only once what has arrived is read, unlike that of `AbortSignal.timeout`: a process that was busy
 * or stood still runs its timers first, and must not take its own delay for that of others.
 */
export function afterReading(milliseconds: number, act: () => void): NodeJS.Timeout {
  return setTimeout(() => setImmediate(act), milliseconds);
}
