import { Inject, Injectable } from '@nestjs/common';
import { LOGGER, type Logger } from '../logging/logger.js';
import { JobProducer, sendEmailJobId } from '../queue/job-producer.js';
import { ResultChannel } from '../queue/result-channel.js';

/** Hands a stored email to the workers and waits for what they make of it. */
@Injectable()
export class EmailDispatch {
  constructor(
    private readonly producer: JobProducer,
    private readonly results: ResultChannel,
    @Inject(LOGGER) private readonly logger: Logger,
  ) {}

  /** Returns when the email is final, the wait is over or nobody can be told about it. Never throws. */
  async queueAndWait(email: { id: string }, waitMs: number): Promise<void> {
    const result = this.results.expect(email.id);
    try {
      const queued = await this.queue(email.id, waitMs > 0 ? this.results.instance : undefined);
      if (queued && waitMs > 0) await result.arrivedWithin(waitMs);
    } finally {
      result.forget();
    }
  }

  /** False when Redis does not take the job: the email is safe in Postgres and is queued later. */
  private async queue(emailId: string, replyTo: string | undefined): Promise<boolean> {
    try {
      await this.producer.add('send-email', {
        payload: { emailId, ...(replyTo && { replyTo }) },
        jobId: sendEmailJobId(emailId, 0),
      });
      return true;
    } catch (error) {
      this.logger.warn({ emailId, err: error }, 'Redis did not take the job; the email will be queued later');
      return false;
    }
  }
}
