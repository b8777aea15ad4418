/** Thrown instead of asking a Redis that has just said nothing, or when it says nothing in time. */
class RedisTimeoutError extends Error {
  constructor() {
    super('Redis did not respond in time');
  }
}

/**
 * Asks Redis with a deadline. Once it has said nothing, nobody asks for a while, so that a Redis that hangs holds up
 * few of those who come. What was asked may be done all the same: asking again must be harmless.
 */
export class CircuitBreaker {
  private openUntil = 0;

  constructor(
    private readonly deadlineMs: number,
    private readonly cooldownMs: number,
  ) {}

  /** @throws RedisTimeoutError, and what the question itself throws */
  async run<Answer>(ask: () => Promise<Answer>): Promise<Answer> {
    if (performance.now() < this.openUntil) throw new RedisTimeoutError();
    let timer: NodeJS.Timeout | undefined;
    const late = new Promise<never>((_, reject) => {
      // An answer that is there already is read first: a process that was busy must not blame Redis.
      timer = setTimeout(() => setImmediate(() => reject(new RedisTimeoutError())), this.deadlineMs);
    });
    try {
      return await Promise.race([ask(), late]);
    } catch (error) {
      if (error instanceof RedisTimeoutError) this.openUntil = performance.now() + this.cooldownMs;
      throw error;
    } finally {
      clearTimeout(timer);
    }
  }
}
