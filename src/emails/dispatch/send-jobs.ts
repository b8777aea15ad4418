import { Injectable } from '@nestjs/common';
import { JobProducer, sendEmailJob, sendEmailsTogetherJob } from '../../platform/queue/job-producer.js';
import { DeliveryProviders } from '../delivery/delivery-providers.js';
import type { DispatchedEmail } from './dispatched-email.js';

/**
 * Emails per job if the provider takes them one by one. The cost of a job in Redis and in the worker is shared by its
 * emails, but emails in one job cannot be taken by an idle worker.
 */
const ONE_BY_ONE = 20;

/** Creates the jobs of emails: one for each, or one for several consecutive emails of a broadcast. */
@Injectable()
export class SendJobs {
  private readonly maxBatchSize: number;

  constructor(
    private readonly producer: JobProducer,
    providers: DeliveryProviders,
  ) {
    this.maxBatchSize = providers.maxRecipients ?? ONE_BY_ONE;
  }

  /** @param emails in the order of their positions */
  async add(emails: readonly DispatchedEmail[]): Promise<void> {
    const alone = emails.filter(({ broadcastId }) => broadcastId === undefined);
    await this.addAlone(alone);
    const groups = this.groupsOf(emails.filter(({ broadcastId }) => broadcastId !== undefined));
    await this.producer.addAll('send-emails-together', groups.map(sendEmailsTogetherJob));
  }

  /** Creates one job per email, even for emails of a broadcast. */
  async addAlone(emails: readonly DispatchedEmail[]): Promise<void> {
    await this.producer.addAll('send-email', emails.map(sendEmailJob));
  }

  private groupsOf(emails: readonly DispatchedEmail[]): DispatchedEmail[][] {
    const groups: DispatchedEmail[][] = [];
    const open = new Map<string | undefined, DispatchedEmail[]>();
    for (const email of emails) {
      const group = open.get(email.broadcastId);
      if (group && group.length < this.maxBatchSize) group.push(email);
      else {
        const next = [email];
        open.set(email.broadcastId, next);
        groups.push(next);
      }
    }
    return groups;
  }
}
