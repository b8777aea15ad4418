import { Module } from '@nestjs/common';
import { Senders } from '../../emails/accept/sender.js';
import { EmailDeliveryModule } from '../../emails/delivery/email-delivery.module.js';
import { BroadcastBudget } from './broadcast-budget.js';
import { BroadcastMetrics } from './broadcast-metrics.js';
import { BroadcastRunner } from './broadcast-runner.js';
import { BroadcastStep } from './broadcast-step.js';
import { BroadcastSteps } from './broadcast-steps.js';
import { BroadcastSubjects } from './broadcast-subjects.js';
import { BroadcastEmails } from './make-emails.js';

/** Turns broadcasts into emails, for the worker; without routes. */
@Module({
  imports: [EmailDeliveryModule],
  providers: [
    BroadcastBudget,
    BroadcastMetrics,
    Senders,
    BroadcastSubjects,
    BroadcastEmails,
    BroadcastStep,
    BroadcastSteps,
    BroadcastRunner,
  ],
  exports: [BroadcastRunner],
})
export class BroadcastSendingModule {}
