import { DeadlineError, withDeadline } from '../clock/with-deadline.js';

/** Thrown when Redis does not respond in time, or at once while the circuit breaker is open. */
class RedisTimeoutError extends Error {
  constructor() {
    super('Redis did not respond in time');
  }
}

/**
 * Runs Redis commands with a deadline. After a timeout the circuit breaker opens for a while, so that a hung Redis
 * delays few callers. A command that timed out may still execute, so it must be safe to repeat.
 */
export class CircuitBreaker {
  private openUntil = 0;

  constructor(
    private readonly deadlineMs: number,
    private readonly cooldownMs: number,
  ) {}

  /** @throws RedisTimeoutError, and the errors of the command itself */
  async run<Result>(command: () => Promise<Result>): Promise<Result> {
    if (performance.now() < this.openUntil) throw new RedisTimeoutError();
    try {
      return await withDeadline(this.deadlineMs, command());
    } catch (error) {
      if (!(error instanceof DeadlineError)) throw error;
      this.openUntil = performance.now() + this.cooldownMs;
      throw new RedisTimeoutError();
    }
  }
}
