import { Body, Controller, Get, HttpCode, Param, Post, UseGuards } from '@nestjs/common';
import { IsString } from 'class-validator';
import { isUuid } from '../platform/clock/uuid-v7.js';
import { CurrentCaller } from '../organizations/current-caller.js';
import { KeyGuard } from '../organizations/api-key.guard.js';
import { InvalidFieldError } from '../platform/errors/domain-error.js';
import { ListQuery, type ListRequest } from '../platform/http/list-request.js';
import { readSearch } from '../platform/http/search-parameter.js';
import { IsWellFormed } from '../platform/http/storable-text.js';
import type { Caller } from '../organizations/api-key-authenticator.js';
import { authorOf } from '../organizations/audit/record-audit.js';
import { campaignDocs } from './campaign-docs.js';
import { CampaignReports, type CampaignDetail } from './campaign-reports.js';
import { Campaigns, type CampaignView } from './campaigns.js';

const LINKS_CURSOR = 'linksCursor';
/** Clicks and SHA-256 of the URL. */
const linkKey = [(part: string) => /^\d{1,18}$/.test(part), (part: string) => /^[\da-f]{64}$/.test(part)];

class CreateCampaignRequest {
  @IsWellFormed()
  @IsString({ message: 'name is required and must be a string' })
  name!: string;
}

/** @throws InvalidFieldError */
function readArchived(value: unknown = 'false'): boolean {
  if (value !== 'true' && value !== 'false') throw new InvalidFieldError('archived', 'must be true or false');
  return value === 'true';
}

@Controller('api/campaigns')
@UseGuards(KeyGuard)
export class CampaignsController {
  constructor(
    private readonly campaigns: Campaigns,
    private readonly reports: CampaignReports,
  ) {}

  @Get()
  @campaignDocs.list
  async list(
    @CurrentCaller() caller: Caller,
    @ListQuery() list: ListRequest,
  ): Promise<{ campaigns: readonly CampaignView[] }> {
    const filter = { search: readSearch(list.query), isArchived: readArchived(list.query['archived']) };
    const page = await this.reports.list(caller.organizationId, filter, list.page([isUuid]));
    list.linkNext(page.next);
    return { campaigns: page.items };
  }

  @Post()
  @campaignDocs.create
  create(@CurrentCaller() caller: Caller, @Body() body: CreateCampaignRequest): Promise<CampaignView> {
    return this.campaigns.create(caller, body.name);
  }

  @Get(':id')
  @campaignDocs.detail
  async detail(
    @CurrentCaller() caller: Caller,
    @Param('id') id: string,
    @ListQuery() list: ListRequest,
  ): Promise<CampaignDetail> {
    const pages = { emails: list.page([isUuid]), links: list.secondPage(LINKS_CURSOR, linkKey) };
    const { campaign, nextEmails, nextLinks } = await this.reports.detail(caller.organizationId, id, pages);
    list.linkNext(nextEmails);
    list.linkNext(nextLinks, { rel: 'next-links', parameter: LINKS_CURSOR });
    return campaign;
  }

  @Post(':id/archive')
  @HttpCode(200)
  @campaignDocs.archive
  async archive(@CurrentCaller() caller: Caller, @Param('id') id: string): Promise<{ success: true }> {
    await this.campaigns.archive(authorOf(caller), id);
    return { success: true };
  }
}
