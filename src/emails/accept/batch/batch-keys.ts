import { Injectable } from '@nestjs/common';
import { Database, type Sql } from '../../../platform/database/database.js';
import { IdempotencyKeyReusedError, RequestStillRunningError } from '../../idempotency/idempotency-errors.js';
import type { IdempotentRequest } from '../../idempotency/idempotent-request.js';

const SUCCESS = 202;

/** Makes a batch take effect only once: its key is stored with its emails, together with the response. */
@Injectable()
export class BatchKeys {
  constructor(private readonly database: Database) {}

  /**
   * The response to an earlier request with this key.
   * @throws IdempotencyKeyReusedError, RequestStillRunningError
   */
  async find<Response>(organizationId: string, request: IdempotentRequest): Promise<Response | undefined> {
    const [row] = await this.database.query<{ request_hash: Buffer; response: Response | null }>(
      `select request_hash, response from idempotency_keys
        where organization_id = $1 and key = $2 and created_at > now() - interval '24 hours'`,
      [organizationId, request.key],
    );
    if (!row) return undefined;
    if (!row.request_hash.equals(request.requestHash)) throw new IdempotencyKeyReusedError();
    if (row.response === null) throw new RequestStillRunningError();
    request.markReplayed();
    return row.response;
  }
}

/**
 * Claims the key in the transaction that stores the emails. A concurrent request waits for its commit.
 * @returns false when another request holds the key
 */
export async function claimBatchKey(
  sql: Sql,
  organizationId: string,
  { key, requestHash }: IdempotentRequest,
  emailId: string,
): Promise<boolean> {
  const claimed = await sql.query(
    `insert into idempotency_keys (organization_id, key, request_hash, email_id, status, running_until)
     values ($1, $2, $3, $4, ${SUCCESS}, now())
     on conflict (organization_id, key) do update
        set request_hash = excluded.request_hash, email_id = excluded.email_id, status = excluded.status, failure = null,
            response = null, running_until = excluded.running_until, created_at = excluded.created_at
      where idempotency_keys.created_at <= now() - interval '24 hours'
     returning key`,
    [organizationId, key, requestHash, emailId],
  );
  return claimed.length > 0;
}

/** Stores the response in the same transaction. */
export async function storeBatchResponse(
  sql: Sql,
  organizationId: string,
  key: string,
  response: object,
): Promise<void> {
  await sql.query('update idempotency_keys set response = $3 where organization_id = $1 and key = $2', [
    organizationId,
    key,
    JSON.stringify(response),
  ]);
}
