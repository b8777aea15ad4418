import { Injectable } from '@nestjs/common';
import type { ProviderType } from '../../../platform/config/provider-credentials.js';
import { Database } from '../../../platform/database/database.js';
import { LookupBatch } from '../../../platform/database/lookup-batch.js';

export interface EventAccountRow {
  /** ID of the provider. */
  readonly id: string;
  readonly organizationId: string;
  readonly type: ProviderType;
  readonly sealedEventKey: string;
}

/**
 * Also of suspended organizations, which may be resumed: most providers do not repeat a call that was refused. $1 ids.
 */
const FIND = `
select p.id, p.organization_id as "organizationId", p.type, p.sealed_event_key as "sealedEventKey"
  from organization_providers p join organizations o on o.id = p.organization_id
 where p.id = any($1::uuid[]) and p.sealed_event_key is not null and o.deleted_at is null`;

/** Reads the providers of organizations that may report events. */
@Injectable()
export class EventAccountRows {
  private readonly batch = new LookupBatch((ids) => this.read(ids));

  constructor(private readonly database: Database) {}

  async find(id: string): Promise<EventAccountRow | undefined> {
    return (await this.read([id])).get(id);
  }

  /** Like `find`, but batched. */
  findInBatch(id: string): Promise<EventAccountRow | undefined> {
    return this.batch.find(id);
  }

  private async read(ids: readonly string[]): Promise<ReadonlyMap<string, EventAccountRow>> {
    const rows = await this.database.prepared<EventAccountRow & Record<string, unknown>>('find-event-accounts', FIND, [
      ids,
    ]);
    return new Map(rows.map((row) => [row.id, row]));
  }
}
