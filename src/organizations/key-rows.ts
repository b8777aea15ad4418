import { Injectable } from '@nestjs/common';
import { Database } from '../platform/database/database.js';
import { LookupBatch } from '../platform/database/lookup-batch.js';
import type { KeyLimits } from './key-limits.js';

export interface KeyRow extends KeyLimits {
  readonly id: string;
  readonly secretHash: Buffer;
  readonly organizationId: string;
  readonly plan: string;
  /** Why the organization may not send, if it is paused. */
  readonly pauseReason: string | null;
  /** True when an operator stopped the organization; then `pauseReason` says why. */
  readonly suspended: boolean;
}

/** Reads active keys. */
@Injectable()
export class KeyRows {
  private readonly batch = new LookupBatch((ids) => this.read(ids));

  constructor(private readonly database: Database) {}

  async find(id: string): Promise<KeyRow | undefined> {
    return (await this.read([id])).get(id);
  }

  /** Like `find`, but batched. */
  findInBatch(id: string): Promise<KeyRow | undefined> {
    return this.batch.find(id);
  }

  private async read(ids: readonly string[]): Promise<ReadonlyMap<string, KeyRow>> {
    const rows = await this.database.prepared<KeyRow>(
      'find-keys',
      `select k.id, k.secret_hash as "secretHash", k.organization_id as "organizationId", o.plan,
              k.scopes, k.expires_at as "expiresAt", k.allowed_domains as "allowedDomains",
              k.allowed_addresses as "allowedAddresses",
              g.reason as "pauseReason", coalesce(g.suspended, false) as suspended
         from api_keys k join organizations o on o.id = k.organization_id
         left join sending_guards g on g.organization_id = k.organization_id and g.state = 'paused'
        where k.id = any($1::text[]) and k.revoked_at is null and o.deleted_at is null`,
      [ids],
    );
    return new Map(rows.map((row) => [row.id, row]));
  }
}
