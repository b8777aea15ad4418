import { Controller, HttpCode, Post, Req } from '@nestjs/common';
import type { FastifyRequest } from 'fastify';
import { BYTES_PER_VALUE } from '../../../platform/http/body-limits.js';
import { reserveForBody } from '../../../platform/http/json-bodies.js';
import { countJsonValues } from '../../../platform/http/json-structure.js';
import { rawBodyOf, TakesRawBody } from '../../../platform/http/request-check.js';
import type { ProviderEventCounts } from '../provider-events.js';
import { sendGridDocs } from './sendgrid-docs.js';
import { SendGridEvents } from './sendgrid-events.js';
import { SendGridRequestCheck } from './sendgrid-request-check.js';

const MAX_BODY_BYTES = 10 * 1024 * 1024;

/** SendGrid's Event Webhook. It has no API key: its signature is the key. */
@Controller('api/providers/sendgrid')
export class SendGridEventsController {
  constructor(
    private readonly check: SendGridRequestCheck,
    private readonly events: SendGridEvents,
  ) {}

  @Post('events')
  @HttpCode(200)
  @TakesRawBody(SendGridRequestCheck, MAX_BODY_BYTES)
  @sendGridDocs.events
  receive(@Req() request: FastifyRequest): Promise<ProviderEventCounts> {
    const body = rawBodyOf(request);
    this.check.verify(request, body);
    reserveForBody(request, countJsonValues(body, body.length) * BYTES_PER_VALUE);
    return this.events.store(body);
  }
}
