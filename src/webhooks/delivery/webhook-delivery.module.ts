import { Module } from '@nestjs/common';
import { DueDeliveries } from './claim-deliveries.js';
import { WebhookBacklog } from './webhook-backlog.js';
import { WebhookSettlement } from './webhook-settlement.js';

const providers = [DueDeliveries, WebhookSettlement, WebhookBacklog];

/** The parts of webhooks that the worker needs. */
@Module({ providers, exports: providers })
export class WebhookDeliveryModule {}
