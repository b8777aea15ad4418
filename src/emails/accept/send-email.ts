import { Inject, Injectable } from '@nestjs/common';
import type { Caller } from '../../organizations/api-key-authenticator.js';
import { TRACING, type Tracing } from '../../platform/tracing/tracing.js';
import { AttachmentContents } from '../attachments/attachment-contents.js';
import { SendingPausedError } from '../email-errors.js';
import type { KeyClaim } from '../idempotency/idempotency-keys.js';
import type { IdempotentRequest } from '../idempotency/idempotent-request.js';
import { AcceptedEmails } from './accepted-emails.js';
import { EmailComposer } from './compose-email.js';
import { EmailBudget } from './email-budget.js';
import type { NewEmail } from './new-email.js';
import { SendQueue } from './send-queue.js';
import type { DecodedRequest } from './send-request.js';
import { SendResponses, type SendOutcome, type StoredEmail } from './send-response.js';

/** The response of a request that does not wait for delivery: certain once the email is stored. */
const ACCEPTED = 202;

/** Time beyond the wait: storing, queueing (at most one second when Redis hangs) and responding. */
const RUNNING_MARGIN_MS = 5_000;

/**
 * POST /api/send, step by step: replay, compose, spend, store, queue, wait, respond. An idempotency key is stored with
 * the email, and every request with that key gets the same response.
 */
@Injectable()
export class SendEmail {
  constructor(
    private readonly composer: EmailComposer,
    private readonly attachments: AttachmentContents,
    private readonly budget: EmailBudget,
    private readonly accepted: AcceptedEmails,
    private readonly queue: SendQueue,
    private readonly responses: SendResponses,
    @Inject(TRACING) private readonly tracing: Tracing,
  ) {}

  /**
   * Returns when the email is stored and either final or `waitMs` have passed. With 0, the response does not depend on
   * how soon it is delivered.
   * @throws DeliveryFailedError when the email failed for good while the first request waited
   * @throws SendingPausedError for an email that is not accepted yet
   */
  async send(
    caller: Caller,
    request: DecodedRequest,
    waitMs: number,
    idempotent?: IdempotentRequest,
  ): Promise<SendOutcome> {
    const replay = await this.responses.replay(caller.organizationId, idempotent);
    if (replay) return replay;
    if (caller.pauseReason !== null) throw new SendingPausedError(caller.pauseReason);

    const startedAt = performance.now();
    const composed = await this.composer.toSend(caller, request);
    const deliveryWaitMs = composed.sendAt ? 0 : waitMs;
    const claim = idempotent && claimOf(idempotent, deliveryWaitMs);
    const span = { emailId: composed.id, name: 'POST /api/send', kind: 'server' } as const;
    const stored = await this.budget.spend(caller, [composed], async () => {
      await this.storeAttachments(caller, request, composed);
      const email = await this.composer.inCampaign(caller, composed, request.campaignId, () =>
        this.accepted.requireRecipients(composed),
      );
      return this.tracing.begin(span, startedAt, () => this.storeAndWait(email, deliveryWaitMs, claim));
    });

    if (!idempotent) return this.responses.of(stored!);
    if (!stored) return this.responses.ofOtherRequest(caller.organizationId, idempotent);
    return this.responses.first(caller.organizationId, idempotent.key, stored);
  }

  /** They are stored before the email, so an email that will be refused is refused here. */
  private async storeAttachments(
    caller: Caller,
    { attachments, campaignId }: DecodedRequest,
    email: NewEmail,
  ): Promise<void> {
    if (attachments.length === 0) return;
    await this.accepted.requireRecipients(email);
    if (campaignId !== undefined) await this.composer.inExistingCampaign(caller, email, campaignId);
    await this.attachments.store(caller, attachments);
  }

  /** Returns undefined, and stores nothing, when another request holds the idempotency key. */
  private async storeAndWait(email: NewEmail, waitMs: number, claim?: KeyClaim): Promise<StoredEmail | undefined> {
    const awaited = this.queue.expect(email.id, waitMs);
    try {
      const acceptance = await this.accepted.accept(email, claim, awaited.waiter);
      if (!acceptance) return undefined;
      const canArrive = await this.queue.add(email.id, acceptance.position, awaited.waiter);
      const result = canArrive ? await awaited.arrivedWithin(waitMs) : undefined;
      const { from, suppressed } = acceptance;
      return { email, from, suppressed, isAwaited: waitMs > 0, result };
    } finally {
      awaited.close();
    }
  }
}

function claimOf({ key, requestHash }: IdempotentRequest, waitMs: number): KeyClaim {
  if (waitMs === 0) return { key, requestHash, status: ACCEPTED, runningForMs: 0 };
  return { key, requestHash, status: null, runningForMs: waitMs + RUNNING_MARGIN_MS };
}
