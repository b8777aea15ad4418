/** Thrown instead of asking a Redis that has just said nothing, or when it says nothing in time. */
export class RedisSilentError extends Error {
  constructor() {
    super('Redis says nothing');
  }
}

/**
 * Asks Redis with a deadline. Once it has said nothing, nobody asks for a while, so that a Redis that hangs holds up
 * few of those who come. What was asked may be done all the same: asking again must be harmless.
 */
export class Impatience {
  private silentUntil = 0;

  constructor(
    private readonly deadlineMs: number,
    private readonly silenceMs: number,
  ) {}

  /** @throws RedisSilentError, and what the question itself throws */
  async answerTo<Answer>(ask: () => Promise<Answer>): Promise<Answer> {
    if (performance.now() < this.silentUntil) throw new RedisSilentError();
    let timer: NodeJS.Timeout | undefined;
    const late = new Promise<never>((_, reject) => {
      // An answer that is there already is read first: a process that was busy must not blame Redis.
      timer = setTimeout(() => setImmediate(() => reject(new RedisSilentError())), this.deadlineMs);
    });
    try {
      return await Promise.race([ask(), late]);
    } catch (error) {
      if (error instanceof RedisSilentError) this.silentUntil = performance.now() + this.silenceMs;
      throw error;
    } finally {
      clearTimeout(timer);
    }
  }
}
