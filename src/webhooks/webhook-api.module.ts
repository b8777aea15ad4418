import { Module } from '@nestjs/common';
import { OutboundHttpModule } from '../platform/outbound-http/outbound-http.module.js';
import { OrganizationsModule } from '../organizations/organizations.module.js';
import { WebhookDeliveriesController } from './webhook-deliveries.controller.js';
import { WebhookDeliveries } from './webhook-deliveries.js';
import { WebhookLimits } from './webhook-limits.js';
import { WebhookOwnership } from './webhook-ownership.js';
import { WebhookTargets } from './webhook-url.js';
import { WebhooksController } from './webhooks.controller.js';
import { Webhooks } from './webhooks.js';

/** Webhook routes of the API. */
@Module({
  imports: [OrganizationsModule, OutboundHttpModule],
  controllers: [WebhooksController, WebhookDeliveriesController],
  providers: [Webhooks, WebhookTargets, WebhookLimits, WebhookOwnership, WebhookDeliveries],
})
export class WebhookApiModule {}
