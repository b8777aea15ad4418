import { Injectable } from '@nestjs/common';
import type { Caller } from '../../organizations/api-key-authenticator.js';
import { IdempotencyKeys, type KeyClaim, type StoredRequest } from '../idempotency/idempotency-keys.js';
import type { IdempotentRequest } from '../idempotency/idempotent-request.js';
import { SendResponses, type SendResponse } from './send-response.js';
import { SendEmails } from './send-emails.js';
import type { SendRequest } from './send-request.js';

export interface SentOrUnderWay {
  readonly emailId: string;
  readonly answer: SendResponse;
}

/** What a request needs beyond its wait: storing, queueing (at most a second when Redis hangs), answering. */
const RUNNING_MARGIN_MS = 5_000;

/** Sends an email, once per idempotency key, and answers the same to everybody who asks with that key. */
@Injectable()
export class SendOnce {
  constructor(
    private readonly emails: SendEmails,
    private readonly keys: IdempotencyKeys,
    private readonly answers: SendResponses,
  ) {}

  /** @throws DeliveryFailedError when the provider refused the email for good while the first caller waited */
  async send(
    caller: Caller,
    request: SendRequest,
    waitMs: number,
    idempotent: IdempotentRequest | undefined,
  ): Promise<SentOrUnderWay> {
    if (!idempotent) {
      const stored = await this.emails.send(caller, request, waitMs);
      return { emailId: stored.email.id, answer: await this.answers.of(stored) };
    }
    const { key, requestHash } = idempotent;
    const claim: KeyClaim = { key, requestHash, status: null, runningForMs: waitMs + RUNNING_MARGIN_MS };
    const first = async () => {
      const { email } = await this.emails.send(caller, request, waitMs, claim);
      return this.answerOf(caller, key, { emailId: email.id, first: null });
    };
    return this.keys.once(caller.organizationId, idempotent, first, (stored) => this.answerOf(caller, key, stored));
  }

  /** The first time and ever after the same way, so that the answers are the same. */
  private async answerOf(caller: Caller, key: string, { emailId, first }: StoredRequest): Promise<SentOrUnderWay> {
    const decided = first ?? (await this.keys.decideFirst(caller.organizationId, key));
    return { emailId, answer: await this.answers.readAs(decided, emailId) };
  }
}
