import { Inject, Injectable } from '@nestjs/common';
import { LOGGER, type Logger } from '../../platform/logging/logger.js';
import { JobProducer, sendEmailJob } from '../../platform/queue/job-producer.js';
import { WorkNotifier } from '../../platform/queue/work-notifications.js';
import { ResultChannel, type PendingResult } from '../../platform/queue/result-channel.js';

/** A result that a request waits for. */
export interface AwaitedResult extends PendingResult {
  /** The API process to which the worker publishes it; undefined when the request does not wait. */
  readonly waiter: string | undefined;
}

/** Queues stored emails, and receives their results. */
@Injectable()
export class SendQueue {
  constructor(
    private readonly producer: JobProducer,
    private readonly results: ResultChannel,
    private readonly workers: WorkNotifier,
    @Inject(LOGGER) private readonly logger: Logger,
  ) {}

  /** Call this before the email is stored: from then on its result can arrive. The caller closes it. */
  expect(emailId: string, waitMs: number): AwaitedResult {
    return { ...this.results.expect(emailId), waiter: waitMs > 0 ? this.results.instance : undefined };
  }

  /**
   * Queues an email at its position; without one the feeder queues it. Never throws: the email is safe in Postgres.
   * @returns true when its result can arrive at the waiter
   */
  async add(emailId: string, position: number | undefined, waiter: string | undefined): Promise<boolean> {
    if (position === undefined) {
      this.workers.notify('emails');
      return waiter !== undefined && (await this.producer.isReachable());
    }
    try {
      const job = sendEmailJob({ emailId, generation: 0, position, waitingInstance: waiter });
      await this.producer.add('send-email', job);
      return waiter !== undefined;
    } catch (error) {
      this.logger.warn({ emailId, err: error }, 'Redis did not take the job; the email will be queued later');
      return false;
    }
  }
}
