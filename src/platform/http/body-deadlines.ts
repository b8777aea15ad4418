import { DomainError } from '../errors/domain-error.js';

/** Deadlines of a body without a request timeout. */
export interface BodyDeadlines {
  /** How long the client may send nothing. */
  readonly stallMs: number;
  /** How long the whole body may take. */
  readonly totalMs: number;
}

const STALL_MS = 25_000;
/** At least 50 KB a second for the largest JSON body. */
export const LARGE_BODY_DEADLINES: BodyDeadlines = { stallMs: STALL_MS, totalMs: 10 * 60_000 };
export const ANY_LENGTH_DEADLINES: BodyDeadlines = { stallMs: STALL_MS, totalMs: 60 * 60_000 };

export class BodyTooSlowError extends DomainError {
  constructor(message: string) {
    super('timeout', message);
  }
}

/** Aborts a body that arrives too slowly. */
export class BodyWatch {
  private readonly overdue: NodeJS.Timeout;
  private stalled: NodeJS.Timeout | undefined;

  /** @param giveUp called at most once, and not after `stop` */
  constructor(
    private readonly deadlines: BodyDeadlines,
    private readonly giveUp: (error: BodyTooSlowError) => void,
  ) {
    const minutes = deadlines.totalMs / 60_000;
    this.overdue = this.after(deadlines.totalMs, `The body took longer than ${minutes} minutes to arrive`);
  }

  /** Starts the timer for the next bytes. */
  wait(): void {
    clearTimeout(this.stalled);
    const seconds = this.deadlines.stallMs / 1000;
    this.stalled = this.after(this.deadlines.stallMs, `No part of the body arrived for ${seconds} seconds`);
  }

  /** Stops the timer until the next `wait`. */
  rest(): void {
    clearTimeout(this.stalled);
  }

  stop(): void {
    clearTimeout(this.overdue);
    clearTimeout(this.stalled);
  }

  private after(ms: number, message: string): NodeJS.Timeout {
    return setTimeout(() => {
      this.stop();
      this.giveUp(new BodyTooSlowError(message));
    }, ms);
  }
}
