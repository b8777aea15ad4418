import { Controller, HttpCode, Post, Req } from '@nestjs/common';
import type { FastifyRequest } from 'fastify';
import { TakesRawBody } from '../../../platform/http/request-check.js';
import { ProviderEvents, type ProviderEventCounts } from '../provider-events.js';
import { ServiceEventAccounts } from '../service-event-accounts.js';
import { SENDGRID_BODY, SendGridCalls } from './sendgrid-calls.js';
import { sendGridDocs } from './sendgrid-docs.js';
import { SendGridRequestCheck } from './sendgrid-request-check.js';

/** SendGrid's Event Webhook. It has no API key: its signature is the key. */
@Controller('api/providers/sendgrid')
export class SendGridEventsController {
  constructor(
    private readonly accounts: ServiceEventAccounts,
    private readonly calls: SendGridCalls,
    private readonly events: ProviderEvents,
  ) {}

  @Post('events')
  @HttpCode(200)
  @TakesRawBody(SendGridRequestCheck, SENDGRID_BODY)
  @sendGridDocs.events
  async receive(@Req() request: FastifyRequest): Promise<ProviderEventCounts> {
    const account = this.accounts.of('sendgrid');
    return this.events.store(account, await this.calls.read(account, request));
  }
}
