import { randomUUID } from 'node:crypto';
import { Inject, Injectable } from '@nestjs/common';
import { EmailLoader } from './load-email.js';
import { AbandonedEmails, type AbandonedLease } from './abandoned-emails.js';
import { LOGGER, type Logger } from '../../platform/logging/logger.js';
import { JobProducer, sendEmailJob } from '../../platform/queue/job-producer.js';
import type { DeliveryOutcome } from '../../providers/provider.js';
import { isPoison, POISON_REASON } from './poison-email.js';
import { DeliverySettlement } from './delivery-settlement.js';

/** Emails per round at most; the next round follows within seconds. */
const BATCH = 1_000;
/** A due email whose job has not run for this long is queued again; if its job still waits, that is a no-op. */
const OVERDUE_MS = 15_000;

/**
 * Repairs the effects of a crash or of data loss in Redis. Emails without a job are queued again; emails whose worker
 * died during delivery have an unknown outcome. Any number of instances may run.
 */
@Injectable()
export class EmailRecovery {
  constructor(
    private readonly abandoned: AbandonedEmails,
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
    for (const lease of await this.abandoned.takeOver(randomUUID(), BATCH)) {
      try {
        await this.settleOne(lease);
      } catch (error) {
        // This email must not block the rest; its lease expires again.
        this.logger.error({ emailId: lease.emailId, err: error }, 'Could not settle an abandoned email');
      }
    }
  }

  private async settleOne(lease: AbandonedLease): Promise<void> {
    const email = await this.emails.find(lease.emailId);
    if (!email) return;
    this.logger.warn({ emailId: email.id }, 'The worker crashed or lost its lease while it delivered this email');
    const outcome: DeliveryOutcome = isPoison(email)
      ? { kind: 'refused', reason: POISON_REASON }
      : { kind: 'ambiguous', reason: 'the worker ended during delivery' };
    await this.settlement.settle(
      { email, lease, attempt: lease.attempts, urls: [], waitingInstance: undefined },
      outcome,
    );
  }

  private async requeueOverdue(): Promise<void> {
    const overdue = await this.abandoned.overdue(OVERDUE_MS, BATCH);
    if (overdue.length === 0) return;
    this.logger.info({ emails: overdue.length }, 'Queueing overdue emails again');
    await this.producer.addAll('send-email', overdue.map(sendEmailJob));
  }
}
