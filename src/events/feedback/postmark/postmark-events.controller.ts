import { Controller, HttpCode, Post, Req } from '@nestjs/common';
import type { FastifyRequest } from 'fastify';
import { BYTES_PER_VALUE } from '../../../platform/http/body-limits.js';
import { reserveForBody } from '../../../platform/http/json-bodies.js';
import { countJsonValues } from '../../../platform/http/json-structure.js';
import { rawBodyOf, TakesRawBody } from '../../../platform/http/request-check.js';
import { parseJson, ProviderEvents, type ProviderEventCounts } from '../provider-events.js';
import { parsePostmarkEvent } from './parse-postmark-event.js';
import { postmarkDocs } from './postmark-docs.js';
import { PostmarkRequestCheck } from './postmark-request-check.js';

/** An event has one or two kilobytes. A bounce may include the returned message. */
const MAX_BODY_BYTES = 1024 * 1024;
/** An event has about thirty, with the metadata of other software at most a few more. */
const MAX_VALUES = 20_000;

/** Postmark's webhooks. They have no API key, but a user and password in their URL. */
@Controller('api/providers/postmark')
export class PostmarkEventsController {
  constructor(private readonly events: ProviderEvents) {}

  @Post('events')
  @HttpCode(200)
  @TakesRawBody(PostmarkRequestCheck, MAX_BODY_BYTES)
  @postmarkDocs.events
  receive(@Req() request: FastifyRequest): Promise<ProviderEventCounts> {
    const body = rawBodyOf(request);
    const values = countJsonValues(body, MAX_VALUES + 1);
    if (values > MAX_VALUES) this.events.refuse('postmark', 'too-large', 'The body has too many values');
    reserveForBody(request, values * BYTES_PER_VALUE);
    return this.events.store('postmark', [parsePostmarkEvent(parseJson(body))]);
  }
}
