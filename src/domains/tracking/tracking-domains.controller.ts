import { Body, Controller, Delete, Get, HttpCode, Param, Post, UseGuards } from '@nestjs/common';
import { KeyGuard } from '../../organizations/api-key.guard.js';
import type { Caller } from '../../organizations/api-key-authenticator.js';
import { authorOf } from '../../organizations/audit/record-audit.js';
import { CurrentCaller } from '../../organizations/current-caller.js';
import { isUuid } from '../../platform/clock/uuid-v7.js';
import { ListQuery, type ListRequest } from '../../platform/http/list-request.js';
import { CreateDomainRequest } from '../create-domain-request.js';
import { DomainLimits } from '../domain-limits.js';
import { trackingDomainDocs } from './tracking-domain-docs.js';
import { toTrackingDomainView, type TrackingDomainView } from './tracking-domain-row.js';
import { TrackingDomains } from './tracking-domains.js';
import { TrackingVerification } from './tracking-verification.js';

@Controller('api/tracking-domains')
@UseGuards(KeyGuard)
export class TrackingDomainsController {
  constructor(
    private readonly domains: TrackingDomains,
    private readonly verification: TrackingVerification,
    private readonly limits: DomainLimits,
  ) {}

  @Get()
  @trackingDomainDocs.list
  async list(
    @CurrentCaller() caller: Caller,
    @ListQuery() list: ListRequest,
  ): Promise<{ trackingDomains: readonly TrackingDomainView[] }> {
    const page = await this.domains.list(caller.organizationId, list.page([isUuid]));
    list.linkNext(page.next);
    return { trackingDomains: page.items };
  }

  @Post()
  @trackingDomainDocs.create
  create(@CurrentCaller() caller: Caller, @Body() body: CreateDomainRequest): Promise<TrackingDomainView> {
    return this.domains.create(authorOf(caller), body.domain, () => this.limits.countCreation(caller.organizationId));
  }

  @Get(':id')
  @trackingDomainDocs.get
  get(@CurrentCaller() caller: Caller, @Param('id') id: string): Promise<TrackingDomainView> {
    return this.domains.get(caller.organizationId, id);
  }

  @Delete(':id')
  @HttpCode(204)
  @trackingDomainDocs.remove
  async remove(@CurrentCaller() caller: Caller, @Param('id') id: string): Promise<void> {
    await this.domains.remove(authorOf(caller), id);
  }

  @Post(':id/verify')
  @HttpCode(200)
  @trackingDomainDocs.verify
  async verify(@CurrentCaller() caller: Caller, @Param('id') id: string): Promise<TrackingDomainView> {
    if (isUuid(id)) await this.limits.countVerification(caller.organizationId, id.toLowerCase());
    const domain = await this.domains.find(caller.organizationId, id);
    return toTrackingDomainView(await this.verification.check(domain, authorOf(caller)));
  }
}
