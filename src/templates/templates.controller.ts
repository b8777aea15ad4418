import { Body, Controller, Delete, Get, HttpCode, Param, Post, Put, UseGuards } from '@nestjs/common';
import { isUuid } from '../platform/clock/uuid-v7.js';
import { TakesEmail, TakesVariables } from '../platform/http/body-limits.js';
import { ListQuery, type ListRequest } from '../platform/http/list-request.js';
import { readSearch } from '../platform/http/search-parameter.js';
import type { Caller } from '../organizations/api-key-authenticator.js';
import { KeyGuard } from '../organizations/api-key.guard.js';
import { CurrentCaller } from '../organizations/current-caller.js';
import { NeedsScope } from '../organizations/key-scopes.js';
import { authorOf } from '../organizations/audit/record-audit.js';
import { templateDocs } from './template-docs.js';
import { ChangeTemplateRequest, RenderTemplateRequest, TemplateRequest } from './template-requests.js';
import type { TemplateDetail, TemplateRendering, TemplateView } from './template-view.js';
import { Templates } from './templates.js';

@Controller('api/templates')
@UseGuards(KeyGuard)
export class TemplatesController {
  constructor(private readonly templates: Templates) {}

  @Get()
  @templateDocs.list
  async list(
    @CurrentCaller() caller: Caller,
    @ListQuery() list: ListRequest,
  ): Promise<{ templates: readonly TemplateView[] }> {
    const page = await this.templates.list(caller.organizationId, readSearch(list.query), list.page([isUuid]));
    list.linkNext(page.next);
    return { templates: page.items };
  }

  @Post()
  @TakesEmail()
  @templateDocs.create
  create(@CurrentCaller() caller: Caller, @Body() body: TemplateRequest): Promise<TemplateView> {
    return this.templates.create(caller, body);
  }

  @Get(':id')
  @templateDocs.get
  get(@CurrentCaller() caller: Caller, @Param('id') id: string): Promise<TemplateDetail> {
    return this.templates.get(caller.organizationId, id);
  }

  /** Creates a new version. */
  @Put(':id')
  @TakesEmail()
  @templateDocs.change
  change(
    @CurrentCaller() caller: Caller,
    @Param('id') id: string,
    @Body() body: ChangeTemplateRequest,
  ): Promise<TemplateView> {
    return this.templates.change(caller, id, body, body.version);
  }

  @Delete(':id')
  @HttpCode(204)
  @templateDocs.remove
  async remove(@CurrentCaller() caller: Caller, @Param('id') id: string): Promise<void> {
    await this.templates.remove(authorOf(caller), id);
  }

  /** Renders the template. */
  @Post(':id/render')
  @HttpCode(200)
  @TakesVariables()
  @NeedsScope('read')
  @templateDocs.render
  render(
    @CurrentCaller() caller: Caller,
    @Param('id') id: string,
    @Body() { variables = {}, strict = false }: RenderTemplateRequest,
  ): Promise<TemplateRendering> {
    return this.templates.render(caller, id, variables, strict);
  }
}
