import { Injectable } from '@nestjs/common';
import type { Caller } from '../../organizations/api-key-authenticator.js';
import { IdempotencyKeys, type KeyClaim, type StoredRequest } from '../idempotency/idempotency-keys.js';
import type { IdempotentRequest } from '../idempotency/idempotent-request.js';
import { SendResponses, type SendResponse } from './send-response.js';
import { SendEmails } from './send-emails.js';
import type { SendRequest } from './send-request.js';

export interface SendOutcome {
  readonly emailId: string;
  readonly response: SendResponse;
}

/** Time beyond the wait: storing, queueing (at most one second when Redis hangs) and responding. */
const RUNNING_MARGIN_MS = 5_000;

/** Sends an email once per idempotency key; every request with that key gets the same response. */
@Injectable()
export class SendOnce {
  constructor(
    private readonly emails: SendEmails,
    private readonly keys: IdempotencyKeys,
    private readonly responses: SendResponses,
  ) {}

  /** @throws DeliveryFailedError when the email failed for good while the first caller waited */
  async send(
    caller: Caller,
    request: SendRequest,
    waitMs: number,
    idempotent: IdempotentRequest | undefined,
  ): Promise<SendOutcome> {
    if (!idempotent) {
      const stored = await this.emails.send(caller, request, waitMs);
      return { emailId: stored.email.id, response: await this.responses.of(stored) };
    }
    const { key, requestHash } = idempotent;
    const claim: KeyClaim = { key, requestHash, status: null, runningForMs: waitMs + RUNNING_MARGIN_MS };
    const first = async () => {
      const { email } = await this.emails.send(caller, request, waitMs, claim);
      return this.responseOf(caller, key, { emailId: email.id, first: null });
    };
    return this.keys.once(caller.organizationId, idempotent, first, (stored) => this.responseOf(caller, key, stored));
  }

  /** The first response is read the same way as a replay, so that both are the same. */
  private async responseOf(caller: Caller, key: string, { emailId, first }: StoredRequest): Promise<SendOutcome> {
    const decided = first ?? (await this.keys.decideFirst(caller.organizationId, key));
    return { emailId, response: await this.responses.readAs(decided, emailId) };
  }
}
