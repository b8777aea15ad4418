import { setTimeout } from 'node:timers/promises';
import { Injectable } from '@nestjs/common';
import { Database } from '../platform/database/database.js';
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

/** Lookups within this time share a query. */
const BATCH_MS = 20;

/** Keys of the next query. */
interface Batch {
  readonly ids: Set<string>;
  readonly found: Promise<ReadonlyMap<string, KeyRow>>;
}

/** Reads active keys. */
@Injectable()
export class KeyRows {
  private last: Promise<unknown> = Promise.resolve();
  private next: Batch | undefined;

  constructor(private readonly database: Database) {}

  async find(id: string): Promise<KeyRow | undefined> {
    return (await this.read([id])).get(id);
  }

  /** Like `find`, but batched: one query at a time and at most 50 a second, for any number of keys. */
  async findInBatch(id: string): Promise<KeyRow | undefined> {
    this.next ??= this.startBatch();
    this.next.ids.add(id);
    return (await this.next.found).get(id);
  }

  private startBatch(): Batch {
    const ids = new Set<string>();
    const found = this.last.then(async () => {
      await setTimeout(BATCH_MS);
      this.next = undefined;
      return this.read([...ids]);
    });
    this.last = found.catch(() => undefined);
    return { ids, found };
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
        where k.id = any($1::text[]) and k.revoked_at is null`,
      [ids],
    );
    return new Map(rows.map((row) => [row.id, row]));
  }
}
