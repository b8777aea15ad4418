import { Body, Controller, Get, HttpCode, Param, Post, UseGuards } from '@nestjs/common';
import { isUuid } from '../platform/clock/uuid-v7.js';
import { CurrentCaller } from '../organizations/current-caller.js';
import { KeyGuard } from '../organizations/api-key.guard.js';
import { ListQuery, type ListRequest } from '../platform/http/list-request.js';
import type { Caller } from '../organizations/api-key-authenticator.js';
import { authorOf } from '../organizations/audit/record-audit.js';
import type { DeliveryDetail, DeliveryView } from './webhook-delivery-view.js';
import { webhookDeliveryDocs } from './webhook-delivery-docs.js';
import { WebhookDeliveries } from './webhook-deliveries.js';
import { readReplayRange, ReplayRequest } from './webhook-requests.js';
import type { ReplayResponse } from './webhook-delivery-view.js';

@Controller('api/webhooks')
@UseGuards(KeyGuard)
export class WebhookDeliveriesController {
  constructor(private readonly deliveries: WebhookDeliveries) {}

  @Get(':id/deliveries')
  @webhookDeliveryDocs.list
  async list(
    @CurrentCaller() caller: Caller,
    @Param('id') id: string,
    @ListQuery() list: ListRequest,
  ): Promise<{ deliveries: readonly DeliveryView[] }> {
    const page = await this.deliveries.list(caller.organizationId, id, list.page([isUuid]));
    list.linkNext(page.next);
    return { deliveries: page.items };
  }

  @Get(':id/deliveries/:deliveryId')
  @webhookDeliveryDocs.get
  get(
    @CurrentCaller() caller: Caller,
    @Param('id') id: string,
    @Param('deliveryId') deliveryId: string,
  ): Promise<DeliveryDetail> {
    return this.deliveries.get(caller.organizationId, id, deliveryId);
  }

  @Post(':id/test')
  @HttpCode(200)
  @webhookDeliveryDocs.test
  test(@CurrentCaller() caller: Caller, @Param('id') id: string): Promise<DeliveryView> {
    return this.deliveries.test(authorOf(caller), id);
  }

  @Post(':id/deliveries/:deliveryId/retry')
  @HttpCode(200)
  @webhookDeliveryDocs.retry
  retry(
    @CurrentCaller() caller: Caller,
    @Param('id') id: string,
    @Param('deliveryId') deliveryId: string,
  ): Promise<DeliveryView> {
    return this.deliveries.retry(authorOf(caller), id, deliveryId);
  }

  @Post(':id/replay')
  @HttpCode(200)
  @webhookDeliveryDocs.replay
  replay(
    @CurrentCaller() caller: Caller,
    @Param('id') id: string,
    @Body() body: ReplayRequest,
  ): Promise<ReplayResponse> {
    return this.deliveries.replay(authorOf(caller), id, readReplayRange(body));
  }
}
