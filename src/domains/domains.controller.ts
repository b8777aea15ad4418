import { Body, Controller, Delete, Get, HttpCode, Param, Post, UseGuards } from '@nestjs/common';
import { isUuid } from '../platform/clock/uuid-v7.js';
import { CurrentCaller } from '../organizations/current-caller.js';
import { KeyGuard } from '../organizations/api-key.guard.js';
import { ListQuery, type ListRequest } from '../platform/http/list-request.js';
import type { Caller } from '../organizations/api-key-authenticator.js';
import { authorOf } from '../organizations/audit/record-audit.js';
import { CreateDomainRequest } from './create-domain-request.js';
import { domainDocs } from './domain-docs.js';
import type { DomainView } from './domain-view.js';
import { DomainLimits } from './domain-limits.js';
import { DomainVerification } from './domain-verification.js';
import { Domains } from './domains.js';

@Controller('api/domains')
@UseGuards(KeyGuard)
export class DomainsController {
  constructor(
    private readonly domains: Domains,
    private readonly verification: DomainVerification,
    private readonly limits: DomainLimits,
  ) {}

  @Get()
  @domainDocs.list
  async list(
    @CurrentCaller() caller: Caller,
    @ListQuery() list: ListRequest,
  ): Promise<{ domains: readonly DomainView[] }> {
    const page = await this.domains.list(caller.organizationId, list.page([isUuid]));
    list.linkNext(page.next);
    return { domains: page.items };
  }

  @Post()
  @domainDocs.create
  create(@CurrentCaller() caller: Caller, @Body() body: CreateDomainRequest): Promise<DomainView> {
    return this.domains.create(authorOf(caller), body.domain, () => this.limits.countCreation(caller.organizationId));
  }

  @Get(':id')
  @domainDocs.get
  get(@CurrentCaller() caller: Caller, @Param('id') id: string): Promise<DomainView> {
    return this.domains.get(caller.organizationId, id);
  }

  @Delete(':id')
  @HttpCode(204)
  @domainDocs.remove
  async remove(@CurrentCaller() caller: Caller, @Param('id') id: string): Promise<void> {
    await this.domains.remove(authorOf(caller), id);
  }

  @Post(':id/verify')
  @HttpCode(200)
  @domainDocs.verify
  async verify(@CurrentCaller() caller: Caller, @Param('id') id: string): Promise<DomainView> {
    if (isUuid(id)) await this.limits.countVerification(caller.organizationId, id.toLowerCase());
    return this.verification.verify(authorOf(caller), id);
  }
}
