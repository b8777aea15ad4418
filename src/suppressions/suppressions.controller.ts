import {
  Body,
  Controller,
  Delete,
  Get,
  HttpCode,
  Param,
  Post,
  Query,
  Req,
  StreamableFile,
  UseGuards,
} from '@nestjs/common';
import type { FastifyRequest } from 'fastify';
import { CurrentCaller } from '../organizations/current-caller.js';
import { KeyGuard } from '../organizations/api-key.guard.js';
import type { Caller } from '../organizations/api-key-authenticator.js';
import { authorOf } from '../organizations/audit/record-audit.js';
import { TakesAddresses } from '../platform/http/body-limits.js';
import { ListQuery, type ListRequest } from '../platform/http/list-request.js';
import { isTimestamp } from '../platform/http/paging.js';
import { isWellFormed } from '../platform/http/storable-text.js';
import { streamedBodyOf, TakesCsv } from '../platform/http/streamed-bodies.js';
import { RespondsWithFile } from '../platform/http/unread-responses.js';
import type { ImportResult } from './import-suppressions.js';
import { suppressionDocs } from './suppression-docs.js';
import { AddSuppressionsRequest, readAddedSuppressions, readSuppressionFilter } from './suppression-requests.js';
import { SuppressionBudget } from './suppression-budget.js';
import { SuppressionTransfers } from './suppression-transfers.js';
import type { SuppressionView } from './suppression-view.js';
import { SuppressionNotFoundError, Suppressions } from './suppressions.js';

/** The time and the address key of an entry. */
const cursorParts = [isTimestamp, isWellFormed];

@Controller('api/suppressions')
@UseGuards(KeyGuard)
export class SuppressionsController {
  constructor(
    private readonly suppressions: Suppressions,
    private readonly transfers: SuppressionTransfers,
    private readonly budget: SuppressionBudget,
  ) {}

  @Get()
  @suppressionDocs.list
  async list(
    @CurrentCaller() caller: Caller,
    @ListQuery() list: ListRequest,
  ): Promise<{ suppressions: readonly SuppressionView[] }> {
    const filter = readSuppressionFilter(list.query);
    const page = await this.suppressions.list(caller.organizationId, filter, list.page(cursorParts));
    list.linkNext(page.next);
    return { suppressions: page.items };
  }

  @Post()
  @TakesAddresses()
  @suppressionDocs.add
  add(
    @CurrentCaller() caller: Caller,
    @Body() body: AddSuppressionsRequest,
  ): Promise<{ added: number; known: number }> {
    const added = readAddedSuppressions(body);
    return this.budget.spend(caller, added, () => this.suppressions.add(authorOf(caller), added));
  }

  @Get('export')
  @RespondsWithFile()
  @suppressionDocs.export
  async export(@CurrentCaller() caller: Caller, @Query() query: Record<string, unknown>): Promise<StreamableFile> {
    const file = await this.transfers.export(caller.organizationId, readSuppressionFilter(query));
    return new StreamableFile(file, {
      type: 'text/csv; charset=utf-8',
      disposition: 'attachment; filename="suppressions.csv"',
    });
  }

  @Post('import')
  @HttpCode(200)
  @TakesCsv()
  @suppressionDocs.import
  import(@CurrentCaller() caller: Caller, @Req() request: FastifyRequest): Promise<ImportResult> {
    return this.transfers.import(caller, streamedBodyOf(request));
  }

  @Get(':address')
  @suppressionDocs.get
  async get(@CurrentCaller() caller: Caller, @Param('address') address: string): Promise<SuppressionView> {
    if (!isWellFormed(address)) throw new SuppressionNotFoundError();
    return this.suppressions.get(caller.organizationId, address);
  }

  @Delete(':address')
  @HttpCode(204)
  @suppressionDocs.remove
  async remove(@CurrentCaller() caller: Caller, @Param('address') address: string): Promise<void> {
    if (!isWellFormed(address)) throw new SuppressionNotFoundError();
    await this.suppressions.remove(authorOf(caller), address);
  }
}
