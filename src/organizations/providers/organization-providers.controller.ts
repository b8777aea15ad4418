import { Body, Controller, Delete, Get, HttpCode, Inject, Param, Patch, Post, UseGuards } from '@nestjs/common';
import { ProviderStates } from '../../emails/sending-state/provider-state.js';
import { isUuid } from '../../platform/clock/uuid-v7.js';
import { SETTINGS, type RunSettings } from '../../platform/config/settings.js';
import { SecretBox } from '../../platform/encryption/secret-box.js';
import { ListQuery, type ListRequest } from '../../platform/http/list-request.js';
import { toPage } from '../../platform/http/paging.js';
import type { Caller } from '../api-key-authenticator.js';
import { KeyGuard } from '../api-key.guard.js';
import { authorOf } from '../audit/record-audit.js';
import { CurrentCaller } from '../current-caller.js';
import { changedProviderFields, OrganizationProviders } from './organization-providers.js';
import { providerDocs } from './provider-docs.js';
import { NothingToChangeInProviderError } from './provider-errors.js';
import { ChangeProviderRequest, CreateProviderRequest } from './provider-requests.js';
import {
  accountOf,
  toProviderView,
  type OrganizationProviderRow,
  type OrganizationProviderView,
} from './provider-view.js';

@Controller('api/providers')
@UseGuards(KeyGuard)
export class OrganizationProvidersController {
  constructor(
    private readonly providers: OrganizationProviders,
    private readonly states: ProviderStates,
    private readonly box: SecretBox,
    @Inject(SETTINGS) private readonly settings: RunSettings,
  ) {}

  @Get()
  @providerDocs.list
  async list(
    @CurrentCaller() caller: Caller,
    @ListQuery() list: ListRequest,
  ): Promise<{ providers: readonly OrganizationProviderView[] }> {
    const request = list.page([isUuid]);
    const rows = await this.providers.list(caller.organizationId, request);
    const views = await this.viewsOf(rows);
    const { items, next } = toPage(
      views,
      request.limit,
      (view) => view,
      (view) => [view.id],
    );
    list.linkNext(next);
    return { providers: items };
  }

  @Post()
  @providerDocs.create
  async create(
    @CurrentCaller() caller: Caller,
    @Body() body: CreateProviderRequest,
  ): Promise<OrganizationProviderView> {
    return this.viewOf(await this.providers.create(authorOf(caller), body));
  }

  @Get(':id')
  @providerDocs.get
  async get(@CurrentCaller() caller: Caller, @Param('id') id: string): Promise<OrganizationProviderView> {
    return this.viewOf(await this.providers.get(caller.organizationId, id));
  }

  @Patch(':id')
  @providerDocs.change
  async change(
    @CurrentCaller() caller: Caller,
    @Param('id') id: string,
    @Body() body: ChangeProviderRequest,
  ): Promise<OrganizationProviderView> {
    if (changedProviderFields(body).length === 0) throw new NothingToChangeInProviderError();
    return this.viewOf(await this.providers.change(authorOf(caller), id, body));
  }

  @Delete(':id')
  @HttpCode(204)
  @providerDocs.remove
  async remove(@CurrentCaller() caller: Caller, @Param('id') id: string): Promise<void> {
    await this.providers.remove(authorOf(caller), id);
  }

  private async viewOf(row: OrganizationProviderRow): Promise<OrganizationProviderView> {
    const [view] = await this.viewsOf([row]);
    return view!;
  }

  private async viewsOf(rows: readonly OrganizationProviderRow[]): Promise<OrganizationProviderView[]> {
    const states = await this.states.of(rows);
    return rows.map((row, index) =>
      toProviderView(row, states[index]!, accountOf(this.box, row), this.settings.BASE_URL),
    );
  }
}
