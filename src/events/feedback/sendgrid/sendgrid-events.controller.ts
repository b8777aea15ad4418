import { Controller, HttpCode, Post, Req } from '@nestjs/common';
import type { FastifyRequest } from 'fastify';
import { TakesRawBody } from '../../../platform/http/request-check.js';
import type { ProviderEventCounts } from '../provider-events.js';
import { ServiceEvents } from '../service-events.js';
import { SendGridRequestCheck } from '../service-request-checks.js';
import { SENDGRID_BODY } from './sendgrid-calls.js';
import { sendGridDocs } from './sendgrid-docs.js';

/** SendGrid's Event Webhook. It has no API key: its signature is the key. */
@Controller('api/providers/sendgrid')
export class SendGridEventsController {
  constructor(private readonly events: ServiceEvents) {}

  @Post('events')
  @HttpCode(200)
  @TakesRawBody(SendGridRequestCheck, SENDGRID_BODY)
  @sendGridDocs.events
  receive(@Req() request: FastifyRequest): Promise<ProviderEventCounts> {
    return this.events.receive('sendgrid', request);
  }
}
