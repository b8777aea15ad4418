import { Controller, HttpCode, Post, Req } from '@nestjs/common';
import type { FastifyRequest } from 'fastify';
import { TakesRawBody } from '../../../platform/http/request-check.js';
import type { ProviderEventCounts } from '../provider-events.js';
import { ServiceEvents } from '../service-events.js';
import { PostmarkRequestCheck } from '../service-request-checks.js';
import { POSTMARK_BODY } from './postmark-calls.js';
import { postmarkDocs } from './postmark-docs.js';

/** Postmark's webhooks. They have no API key, but a user and password in their URL. */
@Controller('api/providers/postmark')
export class PostmarkEventsController {
  constructor(private readonly events: ServiceEvents) {}

  @Post('events')
  @HttpCode(200)
  @TakesRawBody(PostmarkRequestCheck, POSTMARK_BODY)
  @postmarkDocs.events
  receive(@Req() request: FastifyRequest): Promise<ProviderEventCounts> {
    return this.events.receive('postmark', request);
  }
}
