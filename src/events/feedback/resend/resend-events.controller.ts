import { Controller, HttpCode, Post, Req } from '@nestjs/common';
import type { FastifyRequest } from 'fastify';
import { TakesRawBody } from '../../../platform/http/request-check.js';
import type { ProviderEventCounts } from '../provider-events.js';
import { ServiceEvents } from '../service-events.js';
import { ResendRequestCheck } from '../service-request-checks.js';
import { RESEND_BODY } from './resend-calls.js';
import { resendDocs } from './resend-docs.js';

/** Resend's webhooks. They have no API key: their signature is the key. */
@Controller('api/providers/resend')
export class ResendEventsController {
  constructor(private readonly events: ServiceEvents) {}

  @Post('events')
  @HttpCode(200)
  @TakesRawBody(ResendRequestCheck, RESEND_BODY)
  @resendDocs.events
  receive(@Req() request: FastifyRequest): Promise<ProviderEventCounts> {
    return this.events.receive('resend', request);
  }
}
