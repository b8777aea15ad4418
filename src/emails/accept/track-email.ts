import { Injectable } from '@nestjs/common';
import type { Caller } from '../../organizations/api-key-authenticator.js';
import { EventAppender } from '../../events/stream/event-appender.js';
import { sentEventId } from '../../events/sent-event.js';
import { IdempotencyKeys, type KeyClaim } from '../idempotency/idempotency-keys.js';
import type { IdempotentRequest } from '../idempotency/idempotent-request.js';
import { AcceptedEmails } from './accepted-emails.js';
import { EmailComposer } from './compose-email.js';
import { EmailBudget } from './email-budget.js';
import type { NewEmail } from './new-email.js';
import type { TrackRequest } from './send-request.js';
import { TrackResponses, type TrackResponse } from './track-response.js';

const SUCCESS = 200;

/**
 * POST /api/emails, step by step: replay, compose, build the response, spend, store, append the event. Nothing is
 * pending once the email is stored, so its response is final by then.
 */
@Injectable()
export class TrackEmail {
  constructor(
    private readonly composer: EmailComposer,
    private readonly responses: TrackResponses,
    private readonly budget: EmailBudget,
    private readonly accepted: AcceptedEmails,
    private readonly events: EventAppender,
    private readonly keys: IdempotencyKeys,
  ) {}

  async track(caller: Caller, request: TrackRequest, idempotent?: IdempotentRequest): Promise<TrackResponse> {
    const known = idempotent && (await this.keys.find(caller.organizationId, idempotent));
    if (known) return this.responses.rebuild(caller, known.emailId);

    const composed = await this.composer.toTrack(caller, request);
    const response = await this.responses.build(caller, composed);
    const urls = response.links.map(({ originalUrl }) => originalUrl);
    const acceptance = await this.budget.spend(caller, [composed], async () => {
      const email = await this.composer.inCampaign(caller, composed, request.campaignId);
      return this.accepted.accept({ ...email, urls }, idempotent && claimOf(idempotent));
    });
    if (!acceptance) {
      const { emailId } = await this.keys.findOther(caller.organizationId, idempotent!);
      return this.responses.rebuild(caller, emailId);
    }
    await this.appendSentEvent(composed);
    return response;
  }

  /** A lost event (which the appender reports) is harmless: the email's row holds the time of sending. */
  private async appendSentEvent({ id, trackingId, createdAt }: NewEmail): Promise<void> {
    const event = { type: 'sent', id: sentEventId(id, createdAt), emailTrackingId: trackingId } as const;
    await this.events.appendInTime(event).catch(() => undefined);
  }
}

function claimOf({ key, requestHash }: IdempotentRequest): KeyClaim {
  return { key, requestHash, status: SUCCESS, runningForMs: 0 };
}
