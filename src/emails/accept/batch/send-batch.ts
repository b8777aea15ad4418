import { Injectable } from '@nestjs/common';
import type { Caller } from '../../../organizations/api-key-authenticator.js';
import { uuidV7 } from '../../../platform/clock/uuid-v7.js';
import type { DomainError } from '../../../platform/errors/domain-error.js';
import { AttachmentContents } from '../../attachments/attachment-contents.js';
import { SendingPausedError } from '../../email-errors.js';
import type { IdempotentRequest } from '../../idempotency/idempotent-request.js';
import { RequestStillRunningError } from '../../idempotency/idempotency-errors.js';
import { EmailComposer } from '../compose-email.js';
import { EmailBudget } from '../email-budget.js';
import type { NewEmail } from '../new-email.js';
import { requireRecipientLeft } from '../recipients.js';
import type { DecodedRequest } from '../send-request.js';
import { AcceptedBatches, type BatchEmail, type Refusals } from './accepted-batches.js';
import { isAccepted, takeStep, takeStepInTurns, withRefusals, type BatchEntry } from './batch-entries.js';
import { BatchKeys } from './batch-keys.js';
import { BatchContentSize } from './batch-content-size.js';
import { storedAmong, toBatchResponse, type BatchResponse } from './batch-response.js';

interface Batch {
  readonly messages: readonly BatchEntry<DecodedRequest>[];
  readonly idempotent: IdempotentRequest | undefined;
  readonly refusesAll: (problem: DomainError) => boolean;
}

/**
 * POST /api/send/batch, step by step: replay, compose, leave out, find campaigns, spend, store attachments, create
 * campaigns, store. One bad message does not affect the others.
 */
@Injectable()
export class SendBatch {
  constructor(
    private readonly composer: EmailComposer,
    private readonly attachments: AttachmentContents,
    private readonly budget: EmailBudget,
    private readonly accepted: AcceptedBatches,
    private readonly keys: BatchKeys,
  ) {}

  /**
   * @param messages each decoded, or why it is not valid
   * @param refusesAll true for a problem of one message that refuses the whole batch, so that nothing is stored
   * @throws SendingPausedError for a batch that is not accepted yet, RefusedMessageError, BudgetExceededError,
   *   TooManyRenderingsError, TooManyBodyBytesError, BodyShareExceededError
   */
  async send(
    caller: Caller,
    messages: readonly BatchEntry<DecodedRequest>[],
    idempotent?: IdempotentRequest,
    refusesAll: (problem: DomainError) => boolean = () => false,
  ): Promise<BatchResponse> {
    const { organizationId } = caller;
    const replay = idempotent && (await this.keys.find<BatchResponse>(organizationId, idempotent));
    if (replay) return replay;
    if (caller.pauseReason !== null) throw new SendingPausedError(caller.pauseReason);

    const createdAt = new Date(this.composer.now());
    const size = new BatchContentSize(caller.reserve);
    // A batch that alone needs more than the budget of a minute could otherwise never be sent.
    const documents = { isAllowed: false };
    const batchCaller = { ...caller, reserve: size.reserve, documents };
    // One after the other, so that a batch takes no more turns on the rendering threads than a single email.
    const composed = await takeStepInTurns(
      messages,
      async (message) => {
        size.requireRoom();
        const email = await this.composer.toSend(batchCaller, message);
        size.add(email);
        return { ...email, ...{ id: uuidV7(createdAt.getTime()), createdAt } };
      },
      refusesAll,
    );
    const addressed = await this.leaveOut(organizationId, composed, refusesAll);
    // An unknown campaign is created only once the budgets allow the batch, so that a refused batch creates none.
    const batch = { messages, idempotent, refusesAll };
    const open = await inCampaigns(batch, addressed, (email, name) =>
      this.composer.inExistingCampaign(caller, email, name),
    );
    const valid = open.filter(isAccepted).map(({ email }) => email);
    const response = await this.budget.spend(
      caller,
      valid,
      () => this.store(caller, batch, open),
      (stored) => storedAmong(valid, stored),
    );
    if (response) return response;
    const other = await this.keys.find<BatchResponse>(organizationId, idempotent!);
    if (!other) throw new RequestStillRunningError();
    return other;
  }

  /** @returns undefined when another request holds the key */
  private async store(
    caller: Caller,
    batch: Batch,
    open: readonly BatchEntry<BatchEmail>[],
  ): Promise<BatchResponse | undefined> {
    const { messages, idempotent, refusesAll } = batch;
    // Before the campaigns, because the budget of stored bytes may refuse them.
    const files = messages.flatMap((message, index) =>
      isAccepted(message) && isAccepted(open[index]!) ? message.attachments : [],
    );
    await this.attachments.store(caller, files);
    const emails = await inCampaigns(batch, open, (email, name) => this.composer.inCampaign(caller, email, name));
    const accepted = emails.filter(isAccepted);
    if (accepted.length === 0) return toBatchResponse(emails);
    const respondWith = (refused: Refusals): BatchResponse =>
      toBatchResponse(withRefusals(emails, refused, refusesAll));
    return this.accepted.store(caller.organizationId, { emails: accepted, respond: respondWith }, idempotent);
  }

  private async leaveOut(
    organizationId: string,
    composed: readonly BatchEntry<NewEmail>[],
    refusesAll: (problem: DomainError) => boolean,
  ): Promise<BatchEntry<BatchEmail>[]> {
    const valid = composed.filter(isAccepted);
    const suppressed = await this.accepted.findSuppressed(organizationId, valid);
    const of = new Map(valid.map((email, index) => [email, suppressed[index]!]));
    return takeStep(
      composed,
      (email) => {
        const leftOut = of.get(email)!;
        requireRecipientLeft(email.recipients, leftOut);
        return { email, suppressed: leftOut };
      },
      refusesAll,
    );
  }
}

/**
 * Adds the requested campaigns to emails that have none yet.
 * @param inCampaign called once per campaign
 */
async function inCampaigns(
  { messages, refusesAll }: Batch,
  emails: readonly BatchEntry<BatchEmail>[],
  inCampaign: (email: NewEmail, name: string) => Promise<NewEmail>,
): Promise<BatchEntry<BatchEmail>[]> {
  const known = new Map<string, Promise<NewEmail>>();
  const addCampaign = async ({ email, suppressed }: BatchEmail, index: number): Promise<BatchEmail> => {
    const { campaignId: name } = messages[index] as DecodedRequest;
    if (name === undefined || email.campaignId !== null) return { email, suppressed };
    const found = known.get(name) ?? inCampaign(email, name);
    known.set(name, found);
    const { campaignId } = await found;
    return { email: { ...email, campaignId }, suppressed };
  };
  return takeStep(emails, addCampaign, refusesAll);
}
