import { Injectable } from '@nestjs/common';
import type { EventKeyType } from '../../organizations/providers/event-key.js';
import { MailgunCalls } from './mailgun/mailgun-calls.js';
import { PostmarkCalls } from './postmark/postmark-calls.js';
import type { EventCalls } from './event-calls.js';
import { ResendCalls } from './resend/resend-calls.js';
import { SendGridCalls } from './sendgrid/sendgrid-calls.js';
import { SesCalls } from './ses/ses-calls.js';

/** How to read the calls of each type of provider. */
@Injectable()
export class CallsByType {
  private readonly calls: { readonly [Type in EventKeyType]: EventCalls<Type> };

  constructor(
    sendgrid: SendGridCalls,
    mailgun: MailgunCalls,
    postmark: PostmarkCalls,
    resend: ResendCalls,
    ses: SesCalls,
  ) {
    this.calls = { sendgrid, mailgun, postmark, resend, ses };
  }

  of<Type extends EventKeyType>(type: Type): EventCalls<Type> {
    return this.calls[type];
  }
}
