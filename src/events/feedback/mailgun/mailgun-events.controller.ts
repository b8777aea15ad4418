import { Controller, HttpCode, Post, Req } from '@nestjs/common';
import type { FastifyRequest } from 'fastify';
import { BYTES_PER_VALUE } from '../../../platform/http/body-limits.js';
import { reserveForBody } from '../../../platform/http/json-bodies.js';
import { countJsonValues } from '../../../platform/http/json-structure.js';
import { rawBodyOf, TakesRawBody } from '../../../platform/http/request-check.js';
import { fieldsOf } from '../provider-event-fields.js';
import { parseJson, ProviderEvents, type ProviderEventCounts } from '../provider-events.js';
import { mailgunDocs } from './mailgun-docs.js';
import { MailgunRequestCheck } from './mailgun-request-check.js';
import { parseMailgunEvent } from './parse-mailgun-event.js';

/** An event has one or two kilobytes, and the variables and tags of other software at most 16 more. */
const MAX_BODY_BYTES = 64 * 1024;
/** An event has about a hundred. The body of a stranger must be parsed to find out that it is not signed. */
const MAX_VALUES = 4_000;

/** Mailgun's webhooks. They have no API key: their signature is the key. */
@Controller('api/providers/mailgun')
export class MailgunEventsController {
  constructor(
    private readonly check: MailgunRequestCheck,
    private readonly events: ProviderEvents,
  ) {}

  @Post('events')
  @HttpCode(200)
  @TakesRawBody(MailgunRequestCheck, MAX_BODY_BYTES)
  @mailgunDocs.events
  receive(@Req() request: FastifyRequest): Promise<ProviderEventCounts> {
    const body = rawBodyOf(request);
    const values = countJsonValues(body, MAX_VALUES + 1);
    if (values > MAX_VALUES) this.check.refuse('unsigned');
    reserveForBody(request, values * BYTES_PER_VALUE);
    const { signature, 'event-data': event } = fieldsOf(parseJson(body)) ?? {};
    this.check.verify(signature);
    return this.events.store('mailgun', parseMailgunEvent(event));
  }
}
