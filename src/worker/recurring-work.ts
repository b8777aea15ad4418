import { Injectable } from '@nestjs/common';
import { IdempotencyKeys } from '../emails/idempotency-keys.js';
import { DomainVerification } from '../domains/domain-verification.js';
import { EventHistory } from '../events/event-history.js';
import { recurringJobs } from '../queue/jobs.js';
import { WebhookHistory } from '../webhooks/webhook-history.js';
import { EmailRecovery } from './email-recovery.js';
import { WebhookDispatcher } from './webhook-dispatcher.js';

export type RecurringJob = keyof typeof recurringJobs;

/** Who does what happens by itself. A job without a handler, or a handler without a job, does not compile. */
@Injectable()
export class RecurringWork {
  readonly handlers: Readonly<Record<RecurringJob, () => Promise<void>>>;

  constructor(
    recovery: EmailRecovery,
    idempotencyKeys: IdempotencyKeys,
    webhooks: WebhookDispatcher,
    webhookHistory: WebhookHistory,
    events: EventHistory,
    domains: DomainVerification,
  ) {
    this.handlers = {
      'recover-emails': () => recovery.run(),
      'forget-idempotency-keys': () => idempotencyKeys.forgetExpired(),
      'sweep-webhooks': () => webhooks.sweep(),
      'forget-webhook-deliveries': () => webhookHistory.forgetOld(),
      'recheck-domains': () => domains.recheckDue(),
      'keep-events': () => events.keep(),
    };
  }
}
