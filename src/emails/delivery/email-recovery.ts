import { randomUUID } from 'node:crypto';
import { Inject, Injectable } from '@nestjs/common';
import { EmailLoader } from './load-email.js';
import { AbandonedEmails, type StrandedLease } from './abandoned-emails.js';
import { LOGGER, type Logger } from '../../platform/logging/logger.js';
import { JobProducer, sendEmailJob } from '../../platform/queue/job-producer.js';
import type { DeliveryOutcome } from '../../providers/provider.js';
import { isPoison, POISON_REASON } from './poison-email.js';
import { DeliverySettlement } from './delivery-settlement.js';

/** How many emails one round brings back at most; the next round is seconds away. */
const BATCH = 1_000;
/** A due email whose job did not run for this long is queued again; a job that still waits makes that a no-op. */
const OVERDUE_MS = 15_000;

/**
 * Repairs what a crash or a lost Redis left behind: emails whose job vanished are queued again, and emails whose
 * worker died in the middle of a delivery go the way of every other doubt. Any number of copies may run.
 */
@Injectable()
export class EmailRecovery {
  constructor(
    private readonly stranded: AbandonedEmails,
    private readonly emails: EmailLoader,
    private readonly settlement: DeliverySettlement,
    private readonly producer: JobProducer,
    @Inject(LOGGER) private readonly logger: Logger,
  ) {}

  async run(): Promise<void> {
    await this.settleAbandoned();
    await this.requeueOverdue();
  }

  private async settleAbandoned(): Promise<void> {
    for (const lease of await this.stranded.takeOver(randomUUID(), BATCH)) {
      try {
        await this.settleOne(lease);
      } catch (error) {
        // The others must not wait for this one, whose lease runs out again.
        this.logger.error({ emailId: lease.emailId, err: error }, 'Could not settle an abandoned email');
      }
    }
  }

  private async settleOne(lease: StrandedLease): Promise<void> {
    const email = await this.emails.find(lease.emailId);
    if (!email) return;
    if (email.status === 'sent' || email.status === 'failed') return this.stranded.forget(lease);
    this.logger.warn({ emailId: email.id }, 'The worker of this email ended during delivery');
    const outcome: DeliveryOutcome = isPoison(email)
      ? { kind: 'refused', reason: POISON_REASON }
      : { kind: 'ambiguous', reason: 'the worker ended during delivery' };
    await this.settlement.settle(
      { email, lease, attempt: lease.attempts, urls: [], waitingInstance: undefined },
      outcome,
    );
  }

  private async requeueOverdue(): Promise<void> {
    const overdue = await this.stranded.overdue(OVERDUE_MS, BATCH);
    if (overdue.length === 0) return;
    this.logger.info({ emails: overdue.length }, 'Queueing emails whose job is late');
    await this.producer.addAll('send-email', overdue.map(sendEmailJob));
  }
}
