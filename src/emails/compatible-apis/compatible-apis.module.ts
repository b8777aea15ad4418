import { Module } from '@nestjs/common';
import { EmailsModule } from '../emails.module.js';
import { BearerKeyCheck } from './bearer-key-check.js';
import { ResendEmailsController } from './resend/resend-emails.controller.js';
import { SendMessages } from './send-messages.js';
import { MailSendController } from './sendgrid/mail-send.controller.js';

/** Routes of other services' APIs, for their client libraries. */
@Module({
  imports: [EmailsModule],
  controllers: [MailSendController, ResendEmailsController],
  providers: [BearerKeyCheck, SendMessages],
})
export class CompatibleApisModule {}
