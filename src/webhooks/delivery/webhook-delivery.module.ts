import { Module } from '@nestjs/common';
import { DueDeliveries } from './claim-deliveries.js';
import { WebhookBacklog } from './webhook-backlog.js';
import { WebhookHistory } from '../webhook-retention.js';
import { WebhookSettlement } from './webhook-settlement.js';

const providers = [DueDeliveries, WebhookSettlement, WebhookBacklog, WebhookHistory];

/** What the worker needs of webhooks: no route, no request. */
@Module({ providers, exports: providers })
export class WebhookDeliveryModule {}
