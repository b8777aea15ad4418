import { Controller, HttpCode, Post, Req } from '@nestjs/common';
import type { FastifyRequest } from 'fastify';
import { TakesRawBody } from '../../../platform/http/request-check.js';
import type { ProviderEventCounts } from '../provider-events.js';
import { ServiceEvents } from '../service-events.js';
import { MailgunRequestCheck } from '../service-request-checks.js';
import { MAILGUN_BODY } from './mailgun-calls.js';
import { mailgunDocs } from './mailgun-docs.js';

/** Mailgun's webhooks. They have no API key: their signature is the key. */
@Controller('api/providers/mailgun')
export class MailgunEventsController {
  constructor(private readonly events: ServiceEvents) {}

  @Post('events')
  @HttpCode(200)
  @TakesRawBody(MailgunRequestCheck, MAILGUN_BODY)
  @mailgunDocs.events
  receive(@Req() request: FastifyRequest): Promise<ProviderEventCounts> {
    return this.events.receive('mailgun', request);
  }
}
