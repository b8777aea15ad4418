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
import { TrackResponses, type TrackResponse } from './track-response.js';
import type { NewEmail } from './new-email.js';

const SUCCESS = 200;

/** POST /api/emails, step by step. Nothing is pending once the email is stored, so its response is final by then. */
@Injectable()
export class TrackEmails {
  constructor(
    private readonly builder: EmailBuilder,
    private readonly responses: TrackResponses,
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
      ({ emailId }) => this.responses.rebuild(caller, emailId),
    );
  }

  private async trackNow(caller: Caller, request: TrackRequest, claim?: KeyClaim): Promise<TrackResponse> {
    const email = await this.prepare(caller, request);
    const response = await this.responses.build(caller, email);
    const stored = await this.builder.inCampaign(caller, email, request.campaignId);
    await this.accepted.accept({ ...stored, urls: response.links.map(({ originalUrl }) => originalUrl) }, claim);
    await this.appendSentEvent(stored);
    return response;
  }

  private prepare(caller: Caller, request: TrackRequest): Promise<NewEmail> {
    const from = request.from === undefined ? '' : formatMailbox(readMailbox('from', request.from));
    const recipients = readRecipients({ to: request.to });
    return this.builder.build(caller, request, { sender: unverifiedSender(from), recipients }, 'tracked');
  }

  /** A lost event (which the appender reports) is harmless: the email's row holds the time of sending. */
  private async appendSentEvent({ id, trackingId, createdAt }: NewEmail): Promise<void> {
    const event = { type: 'sent', id: sentEventId(id, createdAt), emailTrackingId: trackingId } as const;
    await this.events.append(event).catch(() => undefined);
  }
}
