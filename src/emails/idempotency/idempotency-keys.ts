import { Injectable } from '@nestjs/common';
import { Database } from '../../platform/database/database.js';
import { IdempotencyKeyReusedError, RequestStillRunningError } from './idempotency-errors.js';
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
 * Makes a request take effect once, no matter how often it is sent. The key and the email are stored by the same
 * statement. Only the first response's status and failure reason are stored, because a failed email may be retried. The
 * rest is derived from the email, which no longer changes by then. If a process fails before it decides, the status
 * stays open. Once the email is final or `runningForMs` have passed, the next request with the key decides it from the
 * email's state.
 */
@Injectable()
export class IdempotencyKeys {
  constructor(private readonly database: Database) {}

  /**
   * The request that has stored its email under this key, if there is one. Its response is already decided, or can be
   * decided now: its email is final, or its process has crashed.
   * @throws IdempotencyKeyReusedError, RequestStillRunningError
   */
  async find(
    organizationId: string,
    { key, requestHash, markReplayed }: IdempotentRequest,
  ): Promise<StoredRequest | undefined> {
    const [row] = await this.database.prepared<Row>(
      'find-idempotency-key',
      `select request_hash, email_id, status, failure,
              status is null and running_until > now() and not exists (
                select from emails e where e.id = email_id and e.status in ('sent', 'failed', 'canceled')) as running
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

  /**
   * The request that stored its email under this key just before ours could.
   * @throws IdempotencyKeyReusedError, RequestStillRunningError
   */
  async findOther(organizationId: string, request: IdempotentRequest): Promise<StoredRequest> {
    const other = await this.find(organizationId, request);
    if (!other) throw new RequestStillRunningError();
    return other;
  }

  /**
   * Decides the first response from the email's state, once.
   * @returns undefined when the key has been deleted since, as by the erasure of a person whose address it contains
   */
  async decideFirst(organizationId: string, key: string): Promise<FirstResponse | undefined> {
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
}
