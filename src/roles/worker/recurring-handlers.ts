import { Injectable } from '@nestjs/common';
import { MailCancellations } from '../../organizations/deletion/mail-cancellations.js';
import { OrganizationDeletion } from '../../organizations/deletion/organization-deletion.js';
import { SendingGuards } from '../../organizations/guard/sending-guards.js';
import { StorageMeasurements } from '../../organizations/budgets/measure-storage.js';
import { DomainRechecks } from '../../domains/domain-rechecks.js';
import { TrackingRechecks } from '../../domains/tracking/tracking-rechecks.js';
import type { RecurringJob } from '../../platform/queue/jobs.js';
import { HeldMail } from '../../emails/delivery/organizations/held-mail.js';
import { EmailRecovery } from '../../emails/delivery/email-recovery.js';
import { Retention } from './retention.js';
import { WebhookDispatcher } from '../../webhooks/delivery/webhook-dispatcher.js';

/** Maps each recurring job to its handler. The code does not compile if a handler or job is missing. */
@Injectable()
export class RecurringHandlers {
  /** Those that may run for long end early once the signal is aborted. */
  readonly handlers: Readonly<Record<RecurringJob, (stop: AbortSignal) => Promise<void>>>;

  constructor(
    recovery: EmailRecovery,
    heldMail: HeldMail,
    webhooks: WebhookDispatcher,
    domains: DomainRechecks,
    trackingDomains: TrackingRechecks,
    guards: SendingGuards,
    storage: StorageMeasurements,
    retention: Retention,
    deletion: OrganizationDeletion,
    cancellations: MailCancellations,
  ) {
    this.handlers = {
      'recover-emails': () => recovery.run(),
      'release-held-mail': () => heldMail.release(),
      'sweep-webhooks': async () => webhooks.sweep(),
      'recheck-domains': (stop) => domains.run(stop),
      'recheck-tracking-domains': (stop) => trackingDomains.run(stop),
      'guard-sending': () => guards.evaluate(),
      'delete-organizations': (stop) => deletion.run(stop),
      'cancel-mail': (stop) => cancellations.run(stop),
      'measure-storage': (stop) => storage.run(stop),
      ...retention.handlers,
    };
  }
}
