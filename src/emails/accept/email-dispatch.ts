import { Inject, Injectable } from '@nestjs/common';
import { LOGGER, type Logger } from '../../platform/logging/logger.js';
import { JobProducer, sendEmailJob } from '../../platform/queue/job-producer.js';
import { ResultChannel, type EmailResult } from '../../platform/queue/result-channel.js';
import type { Acceptance } from './accepted-emails.js';

export interface Stored {
  readonly from: string;
  /** How the email ended, where that was told in time. */
  readonly result: EmailResult | undefined;
}

/** Hands an email to the workers once it is stored, and waits for what they make of it. */
@Injectable()
export class EmailDispatch {
  constructor(
    private readonly producer: JobProducer,
    private readonly results: ResultChannel,
    @Inject(LOGGER) private readonly logger: Logger,
  ) {}

  /**
   * Returns when the email is final, the wait is over or nobody can be told about it; with the result where it came.
   * Throws what `store` throws and nothing else.
   * @param store gets the name that the result is to be told to, when one waits for it
   */
  async storeAndWait(
    emailId: string,
    waitMs: number,
    store: (waiter: string | undefined) => Promise<Acceptance>,
  ): Promise<Stored> {
    // From before the email is stored: from then on a result can come at any time.
    const result = this.results.expect(emailId);
    const waiter = waitMs > 0 ? this.results.instance : undefined;
    try {
      const { place, from } = await store(waiter);
      const underWay = place === undefined ? await this.isFed(waiter) : await this.queue(emailId, place, waiter);
      return { from, result: underWay && waitMs > 0 ? await result.arrivedWithin(waitMs) : undefined };
    } finally {
      result.forget();
    }
  }

  /** Without Redis nothing is fed, and nobody could be told. */
  private async isFed(waiter: string | undefined): Promise<boolean> {
    return waiter !== undefined && (await this.producer.isReachable());
  }

  /** False when Redis does not take the job: the email is safe in Postgres and is queued later. */
  private async queue(emailId: string, place: number, waitingInstance: string | undefined): Promise<boolean> {
    try {
      await this.producer.add('send-email', sendEmailJob({ emailId, generation: 0, place, waitingInstance }));
      return true;
    } catch (error) {
      this.logger.warn({ emailId, err: error }, 'Redis did not take the job; the email will be queued later');
      return false;
    }
  }
}
