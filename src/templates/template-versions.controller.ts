import { Controller, Get, Param, Query, Req, Res, UseGuards } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Caller } from '../organizations/api-key-authenticator.js';
import { KeyGuard } from '../organizations/api-key.guard.js';
import { CurrentCaller } from '../organizations/current-caller.js';
import { linkNextPage, readPageRequest } from '../platform/http/paging.js';
import { templateVersionDocs } from './template-version-docs.js';
import {
  isTemplateVersion,
  TemplateVersions,
  type TemplateVersionDetail,
  type TemplateVersionView,
} from './template-versions.js';

@Controller('api/templates')
@UseGuards(KeyGuard)
export class TemplateVersionsController {
  constructor(private readonly versions: TemplateVersions) {}

  @Get(':id/versions')
  @templateVersionDocs.list
  async list(
    @CurrentCaller() caller: Caller,
    @Param('id') id: string,
    @Query() query: Record<string, unknown>,
    @Req() request: FastifyRequest,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<{ versions: readonly TemplateVersionView[] }> {
    const page = await this.versions.list(caller.organizationId, id, readPageRequest(query, [isTemplateVersion]));
    linkNextPage(request, reply, page.next);
    return { versions: page.items };
  }

  @Get(':id/versions/:version')
  @templateVersionDocs.get
  get(
    @CurrentCaller() caller: Caller,
    @Param('id') id: string,
    @Param('version') version: string,
  ): Promise<TemplateVersionDetail> {
    return this.versions.get(caller.organizationId, id, version);
  }
}
