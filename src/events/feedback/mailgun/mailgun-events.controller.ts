import { Controller, HttpCode, Post, Req } from '@nestjs/common';
import type { FastifyRequest } from 'fastify';
import { TakesRawBody } from '../../../platform/http/request-check.js';
import { ProviderEvents, type ProviderEventCounts } from '../provider-events.js';
import { ServiceEventAccounts } from '../service-event-accounts.js';
import { MAILGUN_BODY, MailgunCalls } from './mailgun-calls.js';
import { mailgunDocs } from './mailgun-docs.js';
import { MailgunRequestCheck } from './mailgun-request-check.js';

/** Mailgun's webhooks. They have no API key: their signature is the key. */
@Controller('api/providers/mailgun')
export class MailgunEventsController {
  constructor(
    private readonly accounts: ServiceEventAccounts,
    private readonly calls: MailgunCalls,
    private readonly events: ProviderEvents,
  ) {}

  @Post('events')
  @HttpCode(200)
  @TakesRawBody(MailgunRequestCheck, MAILGUN_BODY)
  @mailgunDocs.events
  async receive(@Req() request: FastifyRequest): Promise<ProviderEventCounts> {
    const account = this.accounts.of('mailgun');
    return this.events.store(account, await this.calls.read(account, request));
  }
}
