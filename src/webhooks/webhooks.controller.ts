import { Body, Controller, Delete, Get, HttpCode, Param, Patch, Post, UseGuards } from '@nestjs/common';
import { isUuid } from '../platform/clock/uuid-v7.js';
import { DomainError } from '../platform/errors/domain-error.js';
import { CurrentCaller } from '../organizations/current-caller.js';
import { KeyGuard } from '../organizations/api-key.guard.js';
import { ListQuery, type ListRequest } from '../platform/http/list-request.js';
import type { Caller } from '../organizations/api-key-authenticator.js';
import { authorOf } from '../organizations/audit/record-audit.js';
import { webhookDocs } from './webhook-docs.js';
import { ChangeWebhookRequest, CreateWebhookRequest } from './webhook-requests.js';
import type { WebhookView, WebhookWithSecret } from './webhook-view.js';
import { Webhooks } from './webhooks.js';

class NothingToChangeError extends DomainError {
  constructor() {
    super('invalid', 'Nothing to change: give url, events, enabled or people');
  }
}

@Controller('api/webhooks')
@UseGuards(KeyGuard)
export class WebhooksController {
  constructor(private readonly webhooks: Webhooks) {}

  @Get()
  @webhookDocs.list
  async list(
    @CurrentCaller() caller: Caller,
    @ListQuery() list: ListRequest,
  ): Promise<{ webhooks: readonly WebhookView[] }> {
    const page = await this.webhooks.list(caller.organizationId, list.page([isUuid]));
    list.linkNext(page.next);
    return { webhooks: page.items };
  }

  /** Only this response and that of a rotation contain `secret`. */
  @Post()
  @webhookDocs.create
  create(@CurrentCaller() caller: Caller, @Body() body: CreateWebhookRequest): Promise<WebhookWithSecret> {
    const { url, events, people } = body;
    return this.webhooks.create(caller, {
      url,
      events: events ?? ['EMAIL_SENT'],
      people: people ?? false,
    });
  }

  @Get(':id')
  @webhookDocs.get
  get(@CurrentCaller() caller: Caller, @Param('id') id: string): Promise<WebhookView> {
    return this.webhooks.get(caller.organizationId, id);
  }

  @Patch(':id')
  @webhookDocs.change
  async change(
    @CurrentCaller() caller: Caller,
    @Param('id') id: string,
    @Body() { url, events, enabled, people }: ChangeWebhookRequest,
  ): Promise<WebhookView> {
    const changes = {
      ...{ url: url ?? undefined, events: events ?? undefined },
      ...{ enabled: enabled ?? undefined, people: people ?? undefined },
    };
    if (Object.values(changes).every((change) => change === undefined)) throw new NothingToChangeError();
    return this.webhooks.change(caller, id, changes);
  }

  @Delete(':id')
  @HttpCode(204)
  @webhookDocs.remove
  async remove(@CurrentCaller() caller: Caller, @Param('id') id: string): Promise<void> {
    await this.webhooks.remove(authorOf(caller), id);
  }

  @Post(':id/rotate-secret')
  @HttpCode(200)
  @webhookDocs.rotateSecret
  rotateSecret(@CurrentCaller() caller: Caller, @Param('id') id: string): Promise<WebhookWithSecret> {
    return this.webhooks.rotateSecret(authorOf(caller), id);
  }
}
