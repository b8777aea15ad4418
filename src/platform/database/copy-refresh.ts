import type { Logger } from '../logging/logger.js';

interface Messages {
  readonly failed: string;
  readonly recovered: string;
}

/**
 * Refreshes what a process keeps of Postgres. While that fails, the last known copy stays in use: the log says so once,
 * and once when it is current again.
 */
export class CopyRefresh {
  private isStale = false;

  /** @param read replaces the copy */
  constructor(
    private readonly read: () => Promise<void>,
    private readonly logger: Logger,
    private readonly messages: Messages,
  ) {}

  /** Never rejects. */
  async run(): Promise<void> {
    try {
      await this.read();
      if (this.isStale) this.logger.info(this.messages.recovered);
      this.isStale = false;
    } catch (error) {
      if (!this.isStale) this.logger.warn({ err: error }, this.messages.failed);
      this.isStale = true;
    }
  }
}
