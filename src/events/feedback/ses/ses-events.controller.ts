import { Controller, HttpCode, Post, Req } from '@nestjs/common';
import type { FastifyRequest } from 'fastify';
import { TakesRawBody } from '../../../platform/http/request-check.js';
import { ProviderEvents, type ProviderEventCounts } from '../provider-events.js';
import { ServiceEventAccounts } from '../service-event-accounts.js';
import { SES_BODY, SesCalls } from './ses-calls.js';
import { sesDocs } from './ses-docs.js';
import { SesRequestCheck } from './ses-request-check.js';

/** Events of Amazon SES, which SNS posts. They have no API key: their signature is the key. */
@Controller('api/providers/ses')
export class SesEventsController {
  constructor(
    private readonly accounts: ServiceEventAccounts,
    private readonly calls: SesCalls,
    private readonly events: ProviderEvents,
  ) {}

  @Post('events')
  @HttpCode(200)
  @TakesRawBody(SesRequestCheck, SES_BODY)
  @sesDocs.events
  async receive(@Req() request: FastifyRequest): Promise<ProviderEventCounts> {
    const account = this.accounts.of('ses');
    return this.events.store(account, await this.calls.read(account, request));
  }
}
