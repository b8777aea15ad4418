import { Controller, Get, Param, UseGuards } from '@nestjs/common';
import { CurrentCaller } from '../http/caller.js';
import { KeyGuard } from '../http/key.guard.js';
import type { Caller } from '../organizations/key-directory.js';
import { EmailReports, type EmailDetail } from './email-reports.js';

@Controller('api/emails')
@UseGuards(KeyGuard)
export class EmailsController {
  constructor(private readonly reports: EmailReports) {}

  @Get(':id')
  detail(@CurrentCaller() caller: Caller, @Param('id') id: string): Promise<EmailDetail> {
    return this.reports.detail(caller.organizationId, id);
  }
}
