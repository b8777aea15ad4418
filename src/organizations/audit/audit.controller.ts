import { Controller, Get, Query, StreamableFile, UseGuards } from '@nestjs/common';
import { isUuid } from '../../platform/clock/uuid-v7.js';
import { OrganizationTransfers } from '../../platform/http/organization-transfers.js';
import { ListQuery, type ListRequest } from '../../platform/http/list-request.js';
import { isTimestamp } from '../../platform/http/paging.js';
import { RespondsWithFile } from '../../platform/http/unread-responses.js';
import type { Caller } from '../api-key-authenticator.js';
import { KeyGuard } from '../api-key.guard.js';
import { CurrentCaller } from '../current-caller.js';
import { auditDocs } from './audit-docs.js';
import { AuditEntries, type AuditEntryView } from './audit-entries.js';
import { readAuditFilter } from './audit-filter.js';
import { exportAudit, EXPORT_TYPES, readExportFormat } from './export-audit.js';

@Controller('api/audit')
@UseGuards(KeyGuard)
export class AuditController {
  private readonly transfers = new OrganizationTransfers();

  constructor(private readonly entries: AuditEntries) {}

  @Get()
  @auditDocs.list
  async list(
    @CurrentCaller() caller: Caller,
    @ListQuery() list: ListRequest,
  ): Promise<{ entries: readonly AuditEntryView[] }> {
    const filter = readAuditFilter(list.query);
    const page = await this.entries.list(caller.organizationId, filter, list.page([isTimestamp, isUuid]));
    list.linkNext(page.next);
    return { entries: page.items };
  }

  @Get('export')
  @RespondsWithFile()
  @auditDocs.export
  async export(@CurrentCaller() caller: Caller, @Query() query: Record<string, unknown>): Promise<StreamableFile> {
    const format = readExportFormat(query['format']);
    const pages = this.entries.pages(caller.organizationId, readAuditFilter(query));
    const file = await this.transfers.export(caller.organizationId, exportAudit(format, pages));
    return new StreamableFile(file, {
      type: EXPORT_TYPES[format],
      disposition: `attachment; filename="audit.${format}"`,
    });
  }
}
