import { Inject, Injectable } from '@nestjs/common';
import type { Caller } from '../../organizations/api-key-authenticator.js';
import { TRACING, type Tracing } from '../../platform/tracing/tracing.js';
import { AcceptedEmails } from './accepted-emails.js';
import { readMailbox, readRecipients } from './recipients.js';
import { EmailDispatch, type Stored } from './email-dispatch.js';
import { EmailBuilder } from './build-email.js';
import type { KeyClaim } from '../idempotency/idempotency-keys.js';
import { Senders } from './sender.js';
import { requirePlainSubject } from './plain-text.js';
import type { SendRequest } from './send-request.js';
import type { NewEmail } from './new-email.js';

export interface StoredEmail extends Stored {
  readonly email: NewEmail;
}

/** POST /api/send up to its response, step by step. */
@Injectable()
export class SendEmails {
  constructor(
    private readonly senders: Senders,
    private readonly builder: EmailBuilder,
    private readonly accepted: AcceptedEmails,
    private readonly dispatch: EmailDispatch,
    @Inject(TRACING) private readonly tracing: Tracing,
  ) {}

  /** Returns when the email is stored and either final or `waitMs` have passed. */
  async send(caller: Caller, request: SendRequest, waitMs: number, claim?: KeyClaim): Promise<StoredEmail> {
    const startedAt = performance.now();
    const email = await this.prepare(caller, request);
    const stored = await this.tracing.begin(
      { emailId: email.id, name: 'POST /api/send', kind: 'server' },
      startedAt,
      () => this.dispatch.storeAndWait(email.id, waitMs, (waiter) => this.accepted.accept(email, claim, waiter)),
    );
    return { ...stored, email };
  }

  private async prepare(caller: Caller, request: SendRequest): Promise<NewEmail> {
    requirePlainSubject(request.subject);
    const from = readMailbox('from', request.from);
    const replyTo = request.replyTo === undefined ? undefined : readMailbox('replyTo', request.replyTo);
    const recipients = readRecipients(request);
    const sender = this.senders.choose(caller.organizationId, { from, ...(replyTo && { replyTo }) });
    const email = await this.builder.build(caller, request, { sender, recipients }, 'queued');
    return this.builder.inCampaign(caller, email, request.campaignId);
  }
}
