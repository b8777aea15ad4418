import { Inject, Injectable } from '@nestjs/common';
import { isTransientDatabaseError } from '../../platform/database/transient-error.js';
import { DeliveryState } from './delivery-state.js';
import { LOGGER, type Logger } from '../../platform/logging/logger.js';
import type { Jobs } from '../../platform/queue/jobs.js';
import { EmailDelivery } from './email-delivery.js';
import { ProviderPause } from './provider-pause.js';

/** An email whose run broke off waits so long for the next, the first time. */
const BROKEN_OFF_MS = 10_000;

/** One run of a send job, and what becomes of the job. */
@Injectable()
export class SendRun {
  constructor(
    private readonly delivery: EmailDelivery,
    private readonly pause: ProviderPause,
    private readonly state: DeliveryState,
    @Inject(LOGGER) private readonly logger: Logger,
  ) {}

  /** Resolves with the milliseconds after which the job is to run again, or undefined when it has done its work. */
  async run(job: Jobs['send-email'], stalls: number): Promise<number | undefined> {
    const pausedMs = await this.pause.remainingMs();
    try {
      if (pausedMs > 0) return (await this.delivery.giveUpOverdue(job)) ? undefined : pausedMs;
      await this.delivery.run(job, stalls);
      return undefined;
    } catch (error) {
      const { emailId } = job;
      if (isTransientDatabaseError(error)) {
        this.logger.warn({ emailId, err: error }, 'Postgres is not available; the delivery is tried again');
        return BROKEN_OFF_MS;
      }
      this.logger.error({ emailId, err: error }, 'A delivery run broke off');
      return this.recordCrash(emailId);
    }
  }

  /** The email goes back to Postgres, where runs that break off are counted; the job stays while Postgres is away. */
  private async recordCrash(emailId: string): Promise<number | undefined> {
    try {
      await this.state.recordCrash(emailId, BROKEN_OFF_MS);
      return undefined;
    } catch {
      return BROKEN_OFF_MS;
    }
  }
}
