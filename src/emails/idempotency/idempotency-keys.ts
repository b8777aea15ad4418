import { Injectable } from '@nestjs/common';
import { Database } from '../../platform/database/database.js';
import { IdempotencyKeyReusedError, IdempotencyKeyTakenError, RequestStillRunningError } from './idempotency-errors.js';
import type { IdempotentRequest } from './idempotent-request.js';

/** An idempotency key, stored together with the email of its request. */
export interface KeyClaim {
  readonly key: string;
  readonly requestHash: Buffer;
  /** The response status, if it is certain once the email is stored; otherwise null. */
  readonly status: number | null;
  /** How long the request may take to decide its response; after that it counts as crashed. */
  readonly runningForMs: number;
}

/** The first response to a key. */
export interface FirstResponse {
  readonly status: number;
  /** Why delivery failed, if the status is 500. */
  readonly failure: string | null;
}

/** The request stored under a key. */
export interface StoredRequest {
  readonly emailId: string;
  /** Null until the response is decided. */
  readonly first: FirstResponse | null;
}

interface Row {
  request_hash: Buffer;
  email_id: string;
  status: number | null;
  failure: string | null;
  running: boolean;
}

const DELETE_BATCH = 10_000;

/**
 * Makes a request take effect once, however often it is sent. The key and the email are stored by the same statement.
 * Only the first response's status and failure reason are stored, because a failed email may be retried. The rest is
 * derived from the email, which no longer changes by then.
 * If a process crashes before it decides, the status stays open; after `runningForMs` the email's state decides it.
 */
@Injectable()
export class IdempotencyKeys {
  constructor(private readonly database: Database) {}

  /**
   * Runs `first`, or `replay` when a request with this key has already stored its email.
   * @throws IdempotencyKeyReusedError, RequestStillRunningError
   */
  async once<Result>(
    organizationId: string,
    request: IdempotentRequest,
    first: () => Promise<Result>,
    replay: (stored: StoredRequest) => Promise<Result>,
  ): Promise<Result> {
    const stored = await this.find(organizationId, request);
    if (stored) return replay(stored);
    try {
      return await first();
    } catch (error) {
      if (!(error instanceof IdempotencyKeyTakenError)) throw error;
      const winner = await this.find(organizationId, request);
      if (!winner) throw new RequestStillRunningError();
      return replay(winner);
    }
  }

  /** Decides the first response from the email's state, once, and returns it. */
  async decideFirst(organizationId: string, key: string): Promise<FirstResponse> {
    const [row] = await this.database.prepared<{ status: number; failure: string | null }>(
      'decide-first-response',
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

  /** Deletes keys after 24 hours; `find` ignores older ones even before that. */
  async deleteExpired(): Promise<void> {
    for (;;) {
      const deleted = await this.database.query(
        `delete from idempotency_keys where (organization_id, key) in (
           select organization_id, key from idempotency_keys
            where created_at <= now() - interval '24 hours' limit $1 for update skip locked)
         returning 1 as deleted`,
        [DELETE_BATCH],
      );
      if (deleted.length < DELETE_BATCH) return;
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
