import { Controller, HttpCode, Post, Req } from '@nestjs/common';
import type { FastifyRequest } from 'fastify';
import { rawBodyOf, TakesRawBody } from '../../../platform/http/request-check.js';
import type { ProviderEventCounts } from '../provider-events.js';
import { SENDGRID_BODY } from '../sendgrid/sendgrid-calls.js';
import { OrganizationEventsCheck } from './organization-events-check.js';
import { organizationEventsDocs } from './organization-events-docs.js';
import { OwnEventLimits } from './own-event-limits.js';
import { OwnMailEvents } from './own-mail-events.js';

/** Webhooks of the providers of organizations. They have no API key: each is verified as the calls of its type are. */
@Controller('api/providers')
export class OrganizationEventsController {
  constructor(
    private readonly check: OrganizationEventsCheck,
    private readonly limits: OwnEventLimits,
    private readonly events: OwnMailEvents,
  ) {}

  @Post(':id/events')
  @HttpCode(200)
  // The largest body; the check narrows this down to that of the provider's type.
  @TakesRawBody(OrganizationEventsCheck, SENDGRID_BODY)
  @organizationEventsDocs.receive
  async receive(@Req() request: FastifyRequest): Promise<ProviderEventCounts> {
    const account = this.check.accountOf(request);
    const read = await account.verify(request);
    const taken = await this.limits.takeCall(account, rawBodyOf(request));
    const events = await read();
    await this.limits.takeEvents(account, events.length - taken);
    return this.events.store(account, events);
  }
}
