import { Inject, Injectable } from '@nestjs/common';
import { EmailLoader } from './load-email.js';
import { AbandonedEmails, type AbandonedLease } from './abandoned-emails.js';
import { LOGGER, type Logger } from '../../platform/logging/logger.js';
import { DeliverySettlement } from './delivery-settlement.js';
import { DispatchWindow } from '../dispatch/dispatch-window.js';
import { SendJobs } from '../dispatch/send-jobs.js';

/** Emails per round at most; the next round follows within seconds. */
const BATCH = 1_000;
/** Emails that are settled at once. One by one, a full round could outlast the grace period after an outage. */
const SETTLED_AT_ONCE = 10;
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
    private readonly window: DispatchWindow,
    private readonly jobs: SendJobs,
    @Inject(LOGGER) private readonly logger: Logger,
  ) {}

  async run(): Promise<void> {
    await this.settleAbandoned();
    await this.requeueOverdue();
  }

  private async settleAbandoned(): Promise<void> {
    const leases = await this.abandoned.takeOver(BATCH, this.settlement.lateOutcomeMs);
    const remaining = leases.values();
    const settleRemaining = async (): Promise<void> => {
      for (const lease of remaining) await this.trySettle(lease);
    };
    await Promise.all(Array.from({ length: SETTLED_AT_ONCE }, settleRemaining));
  }

  private async trySettle(lease: AbandonedLease): Promise<void> {
    try {
      await this.settleOne(lease);
    } catch (error) {
      // This email must not block the rest; its lease expires again.
      this.logger.error({ emailId: lease.emailId, err: error }, 'Could not settle an abandoned email');
    }
  }

  private async settleOne(lease: AbandonedLease): Promise<void> {
    const email = await this.emails.find(lease.emailId);
    if (!email) return;
    this.logger.warn({ emailId: email.id }, 'The worker crashed or lost its lease while it delivered this email');
    // Also of an email that has crashed too many workers: its next run fails it, and this attempt may have arrived.
    await this.settlement.settle(
      { email, lease, attempt: lease.attempts, urls: [], waitingInstance: undefined },
      { kind: 'ambiguous', reason: 'the worker ended during delivery' },
      this.settlement.now(),
    );
  }

  private async requeueOverdue(): Promise<void> {
    const overdue = await this.abandoned.overdue(OVERDUE_MS, BATCH);
    if (overdue.length === 0) return;
    this.logger.info({ emails: overdue.length }, 'Queueing overdue emails again');
    try {
      // In the order of their positions, so that emails of a broadcast get the job of several that they had.
      await this.jobs.add(overdue.toSorted((one, other) => one.position - other.position));
    } catch (error) {
      // The feeder queues them as soon as Redis is back, which is sooner than the next recovery.
      await this.window.giveBack(overdue);
      throw error;
    }
  }
}
