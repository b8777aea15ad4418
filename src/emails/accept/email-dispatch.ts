import { Inject, Injectable } from '@nestjs/common';
import { LOGGER, type Logger } from '../../platform/logging/logger.js';
import { JobProducer, sendEmailJob } from '../../platform/queue/job-producer.js';
import { ResultChannel, type EmailResult } from '../../platform/queue/result-channel.js';
import type { Acceptance } from './accepted-emails.js';

export interface Stored {
  readonly from: string;
  /** The final result, if it arrived in time. */
  readonly result: EmailResult | undefined;
}

/** Queues an email once it is stored, and waits for its result. */
@Injectable()
export class EmailDispatch {
  constructor(
    private readonly producer: JobProducer,
    private readonly results: ResultChannel,
    @Inject(LOGGER) private readonly logger: Logger,
  ) {}

  /**
   * Returns when the email is final, when the wait is over, or at once when no result can arrive.
   * Throws only what `store` throws.
   * @param store receives the instance that waits for the result, if any
   */
  async storeAndWait(
    emailId: string,
    waitMs: number,
    store: (waiter: string | undefined) => Promise<Acceptance>,
  ): Promise<Stored> {
    // Subscribe before storing the email: from then on its result can arrive at any time.
    const result = this.results.expect(emailId);
    const waiter = waitMs > 0 ? this.results.instance : undefined;
    try {
      const { position, from } = await store(waiter);
      const underWay = position === undefined ? await this.isFed(waiter) : await this.queue(emailId, position, waiter);
      return { from, result: underWay && waitMs > 0 ? await result.arrivedWithin(waitMs) : undefined };
    } finally {
      result.forget();
    }
  }

  /** Without Redis the feeder queues nothing and no result can arrive. */
  private async isFed(waiter: string | undefined): Promise<boolean> {
    return waiter !== undefined && (await this.producer.isReachable());
  }

  /** False when Redis rejects the job: the email is safe in Postgres and is queued later. */
  private async queue(emailId: string, position: number, waitingInstance: string | undefined): Promise<boolean> {
    try {
      await this.producer.add('send-email', sendEmailJob({ emailId, generation: 0, position, waitingInstance }));
      return true;
    } catch (error) {
      this.logger.warn({ emailId, err: error }, 'Redis did not take the job; the email will be queued later');
      return false;
    }
  }
}
