import {
  Body,
  Controller,
  Get,
  HttpCode,
  Param,
  Post,
  Query,
  Req,
  Res,
  StreamableFile,
  UseGuards,
} from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { isUuid } from '../platform/clock/uuid-v7.js';
import { TakesEmail } from '../platform/http/body-limits.js';
import { RespondsWithFile } from '../platform/http/unread-responses.js';
import { authorOf } from '../organizations/audit/record-audit.js';
import { CurrentCaller } from '../organizations/current-caller.js';
import { NeedsScope } from '../organizations/key-scopes.js';
import { KeyGuard } from '../organizations/api-key.guard.js';
import { ListQuery, type ListRequest } from '../platform/http/list-request.js';
import { isTimestamp } from '../platform/http/paging.js';
import type { Caller } from '../organizations/api-key-authenticator.js';
import { emailDocs } from './email-docs.js';
import { EmailEvents, type EmailEvent } from './read/email-events.js';
import { readEmailFilter } from './read/email-filter.js';
import { SEARCH_POSITION } from './read/search-position.js';
import { EmailExport } from './read/email-export.js';
import { EmailList, type EmailSummary } from './read/email-list.js';
import { EmailDetails, type EmailDetail } from './read/email-detail.js';
import { EmailTimelines, isTimelineKey } from './read/email-timeline.js';
import { EmailPreviews } from './read/email-preview.js';
import type { TimelineEntry } from './read/timeline-entry.js';
import { previewHeaders, readImages, readPart } from './read/preview-headers.js';
import { EmailRetries } from './read/email-retries.js';
import { readIdempotency } from './idempotency/idempotent-request.js';
import { TrackRequest } from './accept/send-request.js';
import type { TrackResponse } from './accept/track-response.js';
import { SenderLimits } from './sender-limits.js';
import { TrackEmail } from './accept/track-email.js';

@Controller('api/emails')
@UseGuards(KeyGuard)
export class EmailsController {
  constructor(
    private readonly emails: TrackEmail,
    private readonly emailList: EmailList,
    private readonly details: EmailDetails,
    private readonly emailEvents: EmailEvents,
    private readonly retries: EmailRetries,
    private readonly timelines: EmailTimelines,
    private readonly exports: EmailExport,
    private readonly previews: EmailPreviews,
    private readonly senderLimits: SenderLimits,
  ) {}

  /** Returns tracked HTML for an email that another provider sends. */
  @Post()
  @HttpCode(200)
  @TakesEmail()
  @NeedsScope('send')
  @emailDocs.track
  track(
    @CurrentCaller() caller: Caller,
    @Body() body: TrackRequest,
    @Req() request: FastifyRequest,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<TrackResponse> {
    return this.emails.track(caller, body, readIdempotency(request, reply, body));
  }

  @Get()
  @emailDocs.list
  async list(
    @CurrentCaller() caller: Caller,
    @ListQuery() list: ListRequest,
  ): Promise<{ emails: readonly EmailSummary[] }> {
    const filter = readEmailFilter(list.query);
    const page = list.page(filter.search === undefined ? [isUuid] : SEARCH_POSITION);
    const { items, next } = await this.emailList.list(caller.organizationId, filter, page);
    list.linkNext(next);
    return { emails: items };
  }

  @Get('export')
  @RespondsWithFile()
  @emailDocs.export
  async export(@CurrentCaller() caller: Caller, @Query() query: Record<string, unknown>): Promise<StreamableFile> {
    const file = await this.exports.export(caller.organizationId, readEmailFilter(query));
    return new StreamableFile(file, {
      type: 'text/csv; charset=utf-8',
      disposition: 'attachment; filename="emails.csv"',
    });
  }

  @Get(':id')
  @emailDocs.detail
  detail(@CurrentCaller() caller: Caller, @Param('id') id: string): Promise<EmailDetail> {
    return this.details.detail(caller.organizationId, id);
  }

  /** Queues a failed email again. */
  @Post(':id/retry')
  @HttpCode(200)
  @NeedsScope('send')
  @emailDocs.retry
  async retry(@CurrentCaller() caller: Caller, @Param('id') id: string): Promise<EmailDetail> {
    await this.senderLimits.require(caller, id);
    await this.retries.retry(caller, authorOf(caller), id);
    return this.details.detail(caller.organizationId, id);
  }

  @Get(':id/events')
  @emailDocs.events
  async events(
    @CurrentCaller() caller: Caller,
    @Param('id') id: string,
    @ListQuery() list: ListRequest,
  ): Promise<{ events: readonly EmailEvent[] }> {
    const page = list.page([isTimestamp, isUuid]);
    const { items, next } = await this.emailEvents.list(caller.organizationId, id, page);
    list.linkNext(next);
    return { events: items };
  }

  @Get(':id/timeline')
  @emailDocs.timeline
  async timeline(
    @CurrentCaller() caller: Caller,
    @Param('id') id: string,
    @ListQuery() list: ListRequest,
  ): Promise<{ timeline: readonly TimelineEntry[] }> {
    const page = list.page([isTimestamp, isTimelineKey]);
    const { items, next } = await this.timelines.list(caller.organizationId, id, page);
    list.linkNext(next);
    return { timeline: items };
  }

  /**
   * HTML to show in a frame, also of a text-only email: it runs nothing, counts nothing, and its links lead nowhere.
   */
  @Get(':id/preview')
  @emailDocs.preview
  async preview(
    @CurrentCaller() caller: Caller,
    @Param('id') id: string,
    @Query('images') images: unknown,
    @Query('part') partName: unknown,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<string> {
    const headers = previewHeaders(readImages(images));
    const part = readPart(partName);
    const content = await this.previews[part](caller, id);
    void reply.type(`text/${part === 'text' ? 'plain' : 'html'}; charset=utf-8`).headers(headers);
    return content;
  }
}
