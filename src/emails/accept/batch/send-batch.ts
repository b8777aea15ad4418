import { Injectable } from '@nestjs/common';
import type { Caller } from '../../../organizations/api-key-authenticator.js';
import { uuidV7 } from '../../../platform/clock/uuid-v7.js';
import { DomainError, type FieldProblem } from '../../../platform/errors/domain-error.js';
import { AttachmentContents } from '../../attachments/attachment-contents.js';
import { SendingPausedError } from '../../email-errors.js';
import type { IdempotentRequest } from '../../idempotency/idempotent-request.js';
import { RequestStillRunningError } from '../../idempotency/idempotency-errors.js';
import type { SuppressedRecipient } from '../../recipients/suppressed-recipients.js';
import { EmailComposer } from '../compose-email.js';
import { EmailBudget } from '../email-budget.js';
import type { NewEmail } from '../new-email.js';
import { requireRecipientLeft } from '../recipients.js';
import type { DecodedRequest } from '../send-request.js';
import { AcceptedBatches, type BatchEmail, type Refusals } from './accepted-batches.js';
import { BatchKeys } from './batch-keys.js';
import { BatchContentSize } from './batch-content-size.js';
import { RefusedMessageError } from './refused-message-error.js';

/** The result for one message of a batch. */
export type BatchResult =
  | {
      readonly id: string;
      readonly emailTrackingId: string;
      readonly status: 'queued' | 'scheduled';
      readonly suppressed?: readonly SuppressedRecipient[];
    }
  | { readonly error: string; readonly details?: readonly FieldProblem[] };

/** In the order of the messages. */
export interface BatchResponse {
  readonly emails: readonly BatchResult[];
}

/** The state of a message between steps: its result so far, or why it is refused. */
type Entry<Value> = Value | DomainError;

interface Batch {
  readonly messages: readonly Entry<DecodedRequest>[];
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
    messages: readonly Entry<DecodedRequest>[],
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
    const composed = await each(
      messages,
      async (message) => {
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
    open: readonly Entry<BatchEmail>[],
  ): Promise<BatchResponse | undefined> {
    const { messages, idempotent, refusesAll } = batch;
    // Before the campaigns, because the budget of stored bytes may refuse them.
    const files = messages.flatMap((message, index) =>
      isAccepted(message) && isAccepted(open[index]!) ? message.attachments : [],
    );
    await this.attachments.store(caller, files);
    const emails = await inCampaigns(batch, open, (email, name) => this.composer.inCampaign(caller, email, name));
    const accepted = emails.filter(isAccepted);
    if (accepted.length === 0) return respond(emails);
    const respondWith = (refused: Refusals): BatchResponse => respond(withRefusals(emails, refused, refusesAll));
    return this.accepted.store(caller.organizationId, { emails: accepted, respond: respondWith }, idempotent);
  }

  private async leaveOut(
    organizationId: string,
    composed: readonly Entry<NewEmail>[],
    refusesAll: (problem: DomainError) => boolean,
  ): Promise<Entry<BatchEmail>[]> {
    const valid = composed.filter(isAccepted);
    const suppressed = await this.accepted.findSuppressed(organizationId, valid);
    const of = new Map(valid.map((email, index) => [email, suppressed[index]!]));
    return each(
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
  emails: readonly Entry<BatchEmail>[],
  inCampaign: (email: NewEmail, name: string) => Promise<NewEmail>,
): Promise<Entry<BatchEmail>[]> {
  const known = new Map<string, Promise<NewEmail>>();
  const addCampaign = async ({ email, suppressed }: BatchEmail, index: number): Promise<BatchEmail> => {
    const { campaignId: name } = messages[index] as DecodedRequest;
    if (name === undefined || email.campaignId !== null) return { email, suppressed };
    const found = known.get(name) ?? inCampaign(email, name);
    known.set(name, found);
    const { campaignId } = await found;
    return { email: { ...email, campaignId }, suppressed };
  };
  return each(emails, addCampaign, refusesAll);
}

function storedAmong(emails: readonly NewEmail[], { emails: results }: BatchResponse): NewEmail[] {
  const ids = new Set(results.flatMap((result) => ('id' in result ? [result.id] : [])));
  return emails.filter(({ id }) => ids.has(id));
}

function isAccepted<Value>(entry: Entry<Value>): entry is Value {
  return !(entry instanceof DomainError);
}

/**
 * Takes a step with each entry that no earlier step refused.
 * @throws RefusedMessageError for the first refusal that refuses all
 */
async function each<From, To>(
  entries: readonly Entry<From>[],
  step: (value: From, index: number) => Promise<To> | To,
  refusesAll: (problem: DomainError) => boolean = () => false,
): Promise<Entry<To>[]> {
  const results: Entry<To>[] = [];
  for (const [index, entry] of entries.entries()) {
    const result = isAccepted(entry) ? await orRefusal(() => step(entry, index)) : entry;
    if (result instanceof DomainError && refusesAll(result)) throw new RefusedMessageError(index, result);
    results.push(result);
  }
  return results;
}

async function orRefusal<Result>(step: () => Promise<Result> | Result): Promise<Entry<Result>> {
  try {
    return await step();
  } catch (error) {
    if (!(error instanceof DomainError) || isAboutRequest(error)) throw error;
    return error;
  }
}

/** True for a problem that other requests cause, and not the message: the same batch may be accepted later. */
function isAboutRequest({ kind }: DomainError): boolean {
  return kind === 'unavailable' || kind === 'too-many-requests';
}

/** @throws RefusedMessageError, so that nothing is stored */
function withRefusals(
  emails: readonly Entry<BatchEmail>[],
  refused: Refusals,
  refusesAll: (problem: DomainError) => boolean,
): Entry<BatchEmail>[] {
  return emails.map((entry, index) => {
    const refusal = isAccepted(entry) ? refused.get(entry.email.id) : undefined;
    if (refusal && refusesAll(refusal)) throw new RefusedMessageError(index, refusal);
    return refusal ?? entry;
  });
}

function respond(emails: readonly Entry<BatchEmail>[]): BatchResponse {
  return { emails: emails.map((entry) => (entry instanceof DomainError ? toProblem(entry) : toResult(entry))) };
}

function toResult({ email, suppressed }: BatchEmail): BatchResult {
  const { id, trackingId: emailTrackingId, sendAt } = email;
  return {
    id,
    emailTrackingId,
    status: sendAt ? 'scheduled' : 'queued',
    ...(suppressed.length > 0 && { suppressed }),
  };
}

function toProblem({ message, details }: DomainError): BatchResult {
  return { error: message, ...(details && { details }) };
}
