import { Body, Controller, HttpCode, Param, Patch, Post, UseGuards } from '@nestjs/common';
import { authorOf } from '../../organizations/audit/record-audit.js';
import { KeyGuard } from '../../organizations/api-key.guard.js';
import type { Caller } from '../../organizations/api-key-authenticator.js';
import { CurrentCaller } from '../../organizations/current-caller.js';
import { NeedsScope } from '../../organizations/key-scopes.js';
import { emailDocs } from '../email-docs.js';
import { EmailDetails, type EmailDetail } from '../read/email-detail.js';
import { SenderLimits } from '../sender-limits.js';
import { RescheduleRequest } from './reschedule-request.js';
import { ScheduledEmails } from './scheduled-emails.js';

@Controller('api/emails')
@UseGuards(KeyGuard)
export class ScheduleController {
  constructor(
    private readonly scheduled: ScheduledEmails,
    private readonly details: EmailDetails,
    private readonly senderLimits: SenderLimits,
  ) {}

  /** Cancels an email that no worker has claimed. */
  @Post(':id/cancel')
  @HttpCode(200)
  @NeedsScope('send')
  @emailDocs.cancel
  async cancel(@CurrentCaller() caller: Caller, @Param('id') id: string): Promise<{ status: 'canceled' }> {
    await this.scheduled.cancel(caller, authorOf(caller), id);
    return { status: 'canceled' };
  }

  /** Moves a scheduled email to another time. */
  @Patch(':id')
  @NeedsScope('send')
  @emailDocs.reschedule
  async reschedule(
    @CurrentCaller() caller: Caller,
    @Param('id') id: string,
    @Body() { sendAt }: RescheduleRequest,
  ): Promise<EmailDetail> {
    await this.senderLimits.require(caller, id);
    await this.scheduled.reschedule(caller, authorOf(caller), id, sendAt);
    return this.details.detail(caller.organizationId, id);
  }
}
