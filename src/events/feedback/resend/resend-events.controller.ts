import { Controller, HttpCode, Post, Req } from '@nestjs/common';
import type { FastifyRequest } from 'fastify';
import { TakesRawBody } from '../../../platform/http/request-check.js';
import { ProviderEvents, type ProviderEventCounts } from '../provider-events.js';
import { ServiceEventAccounts } from '../service-event-accounts.js';
import { RESEND_BODY, ResendCalls } from './resend-calls.js';
import { resendDocs } from './resend-docs.js';
import { ResendRequestCheck } from './resend-request-check.js';

/** Resend's webhooks. They have no API key: their signature is the key. */
@Controller('api/providers/resend')
export class ResendEventsController {
  constructor(
    private readonly accounts: ServiceEventAccounts,
    private readonly calls: ResendCalls,
    private readonly events: ProviderEvents,
  ) {}

  @Post('events')
  @HttpCode(200)
  @TakesRawBody(ResendRequestCheck, RESEND_BODY)
  @resendDocs.events
  async receive(@Req() request: FastifyRequest): Promise<ProviderEventCounts> {
    const account = this.accounts.of('resend');
    return this.events.store(account, await this.calls.read(account, request));
  }
}
