import { Controller, HttpCode, Post, Req } from '@nestjs/common';
import type { FastifyRequest } from 'fastify';
import { BYTES_PER_VALUE } from '../../../platform/http/body-limits.js';
import { reserveForBody } from '../../../platform/http/json-bodies.js';
import { countJsonValues } from '../../../platform/http/json-structure.js';
import { rawBodyOf, TakesRawBody } from '../../../platform/http/request-check.js';
import { fieldsOf } from '../provider-event-fields.js';
import { parseJson, ProviderEvents, type ProviderEventCounts } from '../provider-events.js';
import { parseResendEvent } from './parse-resend-event.js';
import { resendDocs } from './resend-docs.js';
import { ResendRequestCheck } from './resend-request-check.js';

/** An event about an email has one or two kilobytes; others may reach the address, too. */
const MAX_BODY_BYTES = 1024 * 1024;

/** Resend's webhooks. They have no API key: their signature is the key. */
@Controller('api/providers/resend')
export class ResendEventsController {
  constructor(
    private readonly check: ResendRequestCheck,
    private readonly events: ProviderEvents,
  ) {}

  @Post('events')
  @HttpCode(200)
  @TakesRawBody(ResendRequestCheck, MAX_BODY_BYTES)
  @resendDocs.events
  receive(@Req() request: FastifyRequest): Promise<ProviderEventCounts> {
    const body = rawBodyOf(request);
    const id = this.check.verify(request, body);
    reserveForBody(request, countJsonValues(body, body.length) * BYTES_PER_VALUE);
    const event = fieldsOf(parseJson(body));
    if (!event) this.events.refuse('resend', 'invalid', 'The body must be a JSON object');
    return this.events.store('resend', [parseResendEvent(event, id)]);
  }
}
