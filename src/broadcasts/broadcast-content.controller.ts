import { Controller, Get, Param, Query, UseGuards } from '@nestjs/common';
import type { Caller } from '../organizations/api-key-authenticator.js';
import { KeyGuard } from '../organizations/api-key.guard.js';
import { CurrentCaller } from '../organizations/current-caller.js';
import { ListQuery, type ListRequest } from '../platform/http/list-request.js';
import { InvalidFieldError } from '../platform/errors/domain-error.js';
import { isWellFormed } from '../platform/http/storable-text.js';
import type { TemplateRendering } from '../templates/template-view.js';
import { BroadcastContent, type BroadcastMessageView, type BroadcastRecipientView } from './broadcast-content.js';
import { MissingVariables, type MissingVariablesView } from './missing-variables.js';
import { broadcastContentDocs } from './broadcast-content-docs.js';

function isText(value: unknown): value is string {
  return typeof value === 'string' && isWellFormed(value);
}

@Controller('api/broadcasts')
@UseGuards(KeyGuard)
export class BroadcastContentController {
  constructor(
    private readonly content: BroadcastContent,
    private readonly missing: MissingVariables,
  ) {}

  @Get(':id/message')
  @broadcastContentDocs.message
  message(@CurrentCaller() caller: Caller, @Param('id') id: string): Promise<BroadcastMessageView> {
    return this.content.message(caller.organizationId, id);
  }

  @Get(':id/preview')
  @broadcastContentDocs.preview
  preview(
    @CurrentCaller() caller: Caller,
    @Param('id') id: string,
    @Query('to') to: unknown,
  ): Promise<TemplateRendering> {
    if (to !== undefined && !isText(to)) throw new InvalidFieldError('to', 'must be one address');
    return this.content.preview(caller, id, to);
  }

  @Get(':id/missing-variables')
  @broadcastContentDocs.missingVariables
  missingVariables(@CurrentCaller() caller: Caller, @Param('id') id: string): Promise<MissingVariablesView> {
    return this.missing.find(caller, id);
  }

  @Get(':id/recipients')
  @broadcastContentDocs.recipients
  async recipients(
    @CurrentCaller() caller: Caller,
    @Param('id') id: string,
    @ListQuery() list: ListRequest,
  ): Promise<{ recipients: readonly BroadcastRecipientView[] }> {
    const page = await this.content.recipients(caller.organizationId, id, list.page([isWellFormed]));
    list.linkNext(page.next);
    return { recipients: page.items };
  }
}
