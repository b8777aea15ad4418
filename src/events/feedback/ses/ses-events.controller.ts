import { Controller, HttpCode, Post, Req } from '@nestjs/common';
import type { FastifyRequest } from 'fastify';
import { TakesRawBody } from '../../../platform/http/request-check.js';
import type { ProviderEventCounts } from '../provider-events.js';
import { ServiceEvents } from '../service-events.js';
import { SesRequestCheck } from '../service-request-checks.js';
import { SES_BODY } from './ses-calls.js';
import { sesDocs } from './ses-docs.js';

/** Events of Amazon SES, which SNS posts. They have no API key: their signature is the key. */
@Controller('api/providers/ses')
export class SesEventsController {
  constructor(private readonly events: ServiceEvents) {}

  @Post('events')
  @HttpCode(200)
  @TakesRawBody(SesRequestCheck, SES_BODY)
  @sesDocs.events
  receive(@Req() request: FastifyRequest): Promise<ProviderEventCounts> {
    return this.events.receive('ses', request);
  }
}
