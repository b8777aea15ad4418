import { Controller, HttpCode, Post, Req } from '@nestjs/common';
import type { FastifyRequest } from 'fastify';
import { TakesRawBody } from '../../../platform/http/request-check.js';
import { ProviderEvents, type ProviderEventCounts } from '../provider-events.js';
import { ServiceEventAccounts } from '../service-event-accounts.js';
import { POSTMARK_BODY, PostmarkCalls } from './postmark-calls.js';
import { postmarkDocs } from './postmark-docs.js';
import { PostmarkRequestCheck } from './postmark-request-check.js';

/** Postmark's webhooks. They have no API key, but a user and password in their URL. */
@Controller('api/providers/postmark')
export class PostmarkEventsController {
  constructor(
    private readonly accounts: ServiceEventAccounts,
    private readonly calls: PostmarkCalls,
    private readonly events: ProviderEvents,
  ) {}

  @Post('events')
  @HttpCode(200)
  @TakesRawBody(PostmarkRequestCheck, POSTMARK_BODY)
  @postmarkDocs.events
  async receive(@Req() request: FastifyRequest): Promise<ProviderEventCounts> {
    const account = this.accounts.of('postmark');
    return this.events.store(account, await this.calls.read(account, request));
  }
}
