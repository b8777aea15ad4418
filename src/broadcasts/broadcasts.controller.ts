import { Body, Controller, Delete, Get, HttpCode, Param, Post, Put, Req, UseGuards } from '@nestjs/common';
import type { FastifyRequest } from 'fastify';
import { readHeaders } from '../emails/accept/message-headers.js';
import { takeAttachments } from '../emails/attachments/read-attachments.js';
import { KeyGuard } from '../organizations/api-key.guard.js';
import type { Caller } from '../organizations/api-key-authenticator.js';
import { authorOf } from '../organizations/audit/record-audit.js';
import { CurrentCaller } from '../organizations/current-caller.js';
import { NeedsScope } from '../organizations/key-scopes.js';
import { isUuid } from '../platform/clock/uuid-v7.js';
import { TakesMessages } from '../platform/http/body-limits.js';
import { ListQuery, type ListRequest } from '../platform/http/list-request.js';
import { OptionalBody } from '../platform/http/optional-body.js';
import { readSearch } from '../platform/http/search-parameter.js';
import { TakesRecipients } from '../platform/http/streamed-bodies.js';
import { broadcastDocs } from './broadcast-docs.js';
import { BroadcastDrafts } from './broadcast-drafts.js';
import { BroadcastMoves } from './broadcast-moves.js';
import {
  ChangeBroadcastRequest,
  CreateBroadcastRequest,
  SendBroadcastRequest,
  type DecodedBroadcast,
} from './broadcast-requests.js';
import { Broadcasts } from './broadcasts.js';
import type { BroadcastDetail, BroadcastView } from './broadcast-view.js';
import { RecipientUploads, type UploadResult } from './recipients/recipient-upload.js';
import { recipientsOf } from './recipients/recipients-request.js';

@Controller('api/broadcasts')
@UseGuards(KeyGuard)
export class BroadcastsController {
  constructor(
    private readonly broadcasts: Broadcasts,
    private readonly drafts: BroadcastDrafts,
    private readonly moves: BroadcastMoves,
    private readonly uploads: RecipientUploads,
  ) {}

  @Get()
  @broadcastDocs.list
  async list(
    @CurrentCaller() caller: Caller,
    @ListQuery() list: ListRequest,
  ): Promise<{ broadcasts: readonly BroadcastView[] }> {
    const page = await this.broadcasts.list(caller.organizationId, readSearch(list.query), list.page([isUuid]));
    list.linkNext(page.next);
    return { broadcasts: page.items };
  }

  @Post()
  @TakesMessages()
  @NeedsScope('send')
  @broadcastDocs.create
  async create(@CurrentCaller() caller: Caller, @Body() body: CreateBroadcastRequest): Promise<BroadcastDetail> {
    return this.broadcasts.get(caller.organizationId, await this.drafts.create(caller, await decoded(body)));
  }

  @Get(':id')
  @broadcastDocs.get
  get(@CurrentCaller() caller: Caller, @Param('id') id: string): Promise<BroadcastDetail> {
    return this.broadcasts.get(caller.organizationId, id);
  }

  @Put(':id')
  @TakesMessages()
  @NeedsScope('send')
  @broadcastDocs.change
  async change(
    @CurrentCaller() caller: Caller,
    @Param('id') id: string,
    @Body() body: ChangeBroadcastRequest,
  ): Promise<BroadcastDetail> {
    return this.drafts.change(caller, id, await decoded(body), body.version);
  }

  @Post(':id/recipients')
  @HttpCode(200)
  @TakesRecipients()
  @NeedsScope('send')
  @broadcastDocs.addRecipients
  addRecipients(
    @CurrentCaller() caller: Caller,
    @Param('id') id: string,
    @Req() request: FastifyRequest,
  ): Promise<UploadResult> {
    return this.uploads.upload(caller, id, recipientsOf(request));
  }

  @Post(':id/send')
  @HttpCode(200)
  @NeedsScope('send')
  @broadcastDocs.send
  async send(
    @CurrentCaller() caller: Caller,
    @Param('id') id: string,
    @OptionalBody(SendBroadcastRequest) body: SendBroadcastRequest,
  ): Promise<BroadcastDetail> {
    await this.moves.send(caller, id, body.version);
    return this.broadcasts.get(caller.organizationId, id);
  }

  @Post(':id/pause')
  @HttpCode(200)
  @NeedsScope('send')
  @broadcastDocs.pause
  pause(@CurrentCaller() caller: Caller, @Param('id') id: string): Promise<BroadcastDetail> {
    return this.move(caller, id, 'pause');
  }

  @Post(':id/resume')
  @HttpCode(200)
  @NeedsScope('send')
  @broadcastDocs.resume
  resume(@CurrentCaller() caller: Caller, @Param('id') id: string): Promise<BroadcastDetail> {
    return this.move(caller, id, 'resume');
  }

  @Post(':id/cancel')
  @HttpCode(200)
  @NeedsScope('send')
  @broadcastDocs.cancel
  cancel(@CurrentCaller() caller: Caller, @Param('id') id: string): Promise<BroadcastDetail> {
    return this.move(caller, id, 'cancel');
  }

  @Delete(':id')
  @HttpCode(204)
  @NeedsScope('send')
  @broadcastDocs.delete
  async delete(@CurrentCaller() caller: Caller, @Param('id') id: string): Promise<void> {
    await this.drafts.delete(authorOf(caller), id);
  }

  private async move(caller: Caller, id: string, move: 'pause' | 'resume' | 'cancel'): Promise<BroadcastDetail> {
    await this.moves.move(caller, id, move);
    return this.broadcasts.get(caller.organizationId, id);
  }
}

/** @throws InvalidFieldError */
async function decoded(body: CreateBroadcastRequest): Promise<DecodedBroadcast> {
  const attachments = await takeAttachments(body);
  return { ...body, headers: readHeaders(body.headers), attachments };
}
