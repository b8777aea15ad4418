import { Injectable } from '@nestjs/common';
import { Database } from '../../platform/database/database.js';
import { IdempotencyKeyReusedError, IdempotencyKeyTakenError, RequestStillRunningError } from './idempotency-errors.js';
import type { IdempotentRequest } from './idempotent-request.js';

/** A key as it is stored with the email of its request. */
export interface KeyClaim {
  readonly key: string;
  readonly requestHash: Buffer;
  /** The status of the first answer where it is certain as soon as the email is stored, else null. */
  readonly status: number | null;
  /** How long the request may take to decide its answer; afterwards it counts as dead. */
  readonly runningForMs: number;
}

/** What the first answer was. */
export interface FirstResponse {
  readonly status: number;
  /** Why delivery failed, where the status is 500. */
  readonly failure: string | null;
}

/** What a key stands for. */
export interface StoredRequest {
  readonly emailId: string;
  /** Null while it is not decided. */
  readonly first: FirstResponse | null;
}

interface Row {
  request_hash: Buffer;
  email_id: string;
  status: number | null;
  failure: string | null;
  running: boolean;
}

const DELETED_AT_ONCE = 10_000;

/**
 * Requests that act once however often they are sent. A key is stored in the statement that stores the email, so
 * neither is ever there without the other. Of the first answer the status is kept and why delivery failed, since a
 * failed email may be retried: the rest follows from the email, which no longer changes by then. A process that dies before it has decided its answer leaves the status
 * open; after `runningForMs` the answer is decided by how far the email has come.
 */
@Injectable()
export class IdempotencyKeys {
  constructor(private readonly database: Database) {}

  /**
   * Runs `first`, or `again` when a request with this key has stored its email before.
   * @throws IdempotencyKeyReusedError, RequestStillRunningError
   */
  async once<Answer>(
    organizationId: string,
    request: IdempotentRequest,
    first: () => Promise<Answer>,
    again: (stored: StoredRequest) => Promise<Answer>,
  ): Promise<Answer> {
    const stored = await this.find(organizationId, request);
    if (stored) return again(stored);
    try {
      return await first();
    } catch (error) {
      if (!(error instanceof IdempotencyKeyTakenError)) throw error;
      const winner = await this.find(organizationId, request);
      if (!winner) throw new RequestStillRunningError();
      return again(winner);
    }
  }

  /** Decides the first answer by the state of the email, once and for all, and gives it back. */
  async decideFirst(organizationId: string, key: string): Promise<FirstResponse> {
    const [row] = await this.database.prepared<{ status: number; failure: string | null }>(
      'decide-first-answer',
      `update idempotency_keys k
          set status = coalesce(k.status, case e.status when 'failed' then 500 when 'sent' then 200 else 202 end),
              failure = case when k.status is null and e.status = 'failed' then e.last_error else k.failure end
         from emails e
        where k.organization_id = $1 and k.key = $2 and e.id = k.email_id
        returning k.status, k.failure`,
      [organizationId, key],
    );
    if (!row) throw new Error('An idempotency key vanished during its request');
    return row;
  }

  /** Keys are kept for 24 hours; one that is older counts as unknown even before this removes it. */
  async forgetExpired(): Promise<void> {
    for (;;) {
      const deleted = await this.database.query(
        `delete from idempotency_keys where (organization_id, key) in (
           select organization_id, key from idempotency_keys
            where created_at <= now() - interval '24 hours' limit $1 for update skip locked)
         returning 1 as gone`,
        [DELETED_AT_ONCE],
      );
      if (deleted.length < DELETED_AT_ONCE) return;
    }
  }

  private async find(
    organizationId: string,
    { key, requestHash, markReplayed }: IdempotentRequest,
  ): Promise<StoredRequest | undefined> {
    const [row] = await this.database.prepared<Row>(
      'find-idempotency-key',
      `select request_hash, email_id, status, failure, status is null and running_until > now() as running
         from idempotency_keys
        where organization_id = $1 and key = $2 and created_at > now() - interval '24 hours'`,
      [organizationId, key],
    );
    if (!row) return undefined;
    if (!row.request_hash.equals(requestHash)) throw new IdempotencyKeyReusedError();
    if (row.running) throw new RequestStillRunningError();
    markReplayed();
    const { email_id: emailId, status, failure } = row;
    return { emailId, first: status === null ? null : { status, failure } };
  }
}
