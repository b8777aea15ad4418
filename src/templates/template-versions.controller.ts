import { Controller, Get, Param, UseGuards } from '@nestjs/common';
import type { Caller } from '../organizations/api-key-authenticator.js';
import { KeyGuard } from '../organizations/api-key.guard.js';
import { CurrentCaller } from '../organizations/current-caller.js';
import { ListQuery, type ListRequest } from '../platform/http/list-request.js';
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
    @ListQuery() list: ListRequest,
  ): Promise<{ versions: readonly TemplateVersionView[] }> {
    const page = await this.versions.list(caller.organizationId, id, list.page([isTemplateVersion]));
    list.linkNext(page.next);
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
