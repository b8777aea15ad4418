import { Injectable } from '@nestjs/common';
import type { Caller } from '../../organizations/api-key-authenticator.js';
import { EventAppender } from '../../events/stream/event-appender.js';
import { sentEventId } from '../../events/sent-event.js';
import { AcceptedEmails } from './accepted-emails.js';
import { readMailbox, readRecipients } from './recipients.js';
import { EmailBuilder } from './build-email.js';
import { IdempotencyKeys, type KeyClaim } from '../idempotency/idempotency-keys.js';
import type { IdempotentRequest } from '../idempotency/idempotent-request.js';
import { formatMailbox } from '../mailbox.js';
import { unverifiedSender } from './sender.js';
import type { TrackRequest } from './send-request.js';
import { TrackAnswers, type TrackResponse } from './track-response.js';
import type { NewEmail } from './new-email.js';

const SUCCESS = 200;

/** POST /api/emails, step by step: everything is known before the email is stored, so its answer is certain then. */
@Injectable()
export class TrackEmails {
  constructor(
    private readonly drafts: EmailBuilder,
    private readonly answers: TrackAnswers,
    private readonly accepted: AcceptedEmails,
    private readonly events: EventAppender,
    private readonly keys: IdempotencyKeys,
  ) {}

  async track(
    caller: Caller,
    request: TrackRequest,
    idempotent: IdempotentRequest | undefined,
  ): Promise<TrackResponse> {
    if (!idempotent) return this.trackNow(caller, request);
    const { key, requestHash } = idempotent;
    const claim: KeyClaim = { key, requestHash, status: SUCCESS, runningForMs: 0 };
    return this.keys.once(
      caller.organizationId,
      idempotent,
      () => this.trackNow(caller, request, claim),
      ({ emailId }) => this.answers.makeAgain(caller, emailId),
    );
  }

  private async trackNow(caller: Caller, request: TrackRequest, claim?: KeyClaim): Promise<TrackResponse> {
    const draft = await this.draft(caller, request);
    const answer = await this.answers.make(caller, draft);
    const email = await this.drafts.inCampaign(caller, draft, request.campaignId);
    await this.accepted.accept({ ...email, urls: answer.links.map(({ originalUrl }) => originalUrl) }, claim);
    await this.tellSent(email);
    return answer;
  }

  private draft(caller: Caller, request: TrackRequest): Promise<NewEmail> {
    const from = request.from === undefined ? '' : formatMailbox(readMailbox('from', request.from));
    const recipients = readRecipients({ to: request.to });
    return this.drafts.draft(caller, request, { sender: unverifiedSender(from), recipients }, 'tracked');
  }

  /** The email's row says when it was sent, so an event that is lost (which the appender reports) misleads nobody. */
  private async tellSent({ id, trackingId, createdAt }: NewEmail): Promise<void> {
    const event = { type: 'sent', id: sentEventId(id, createdAt), emailTrackingId: trackingId } as const;
    await this.events.append(event).catch(() => undefined);
  }
}
