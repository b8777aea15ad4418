import { Injectable } from '@nestjs/common';
import { Database } from '../../platform/database/database.js';
import { toPage, type Page, type PageRequest } from '../../platform/http/paging.js';
import type { AuditAction } from './audit-actions.js';
import type { AuditFilter } from './audit-filter.js';
import type { ActorKind } from './record-audit.js';

export interface AuditEntryView {
  readonly id: string;
  readonly at: string;
  readonly actor: { readonly kind: ActorKind; readonly id: string };
  readonly action: AuditAction;
  readonly target: { readonly kind: string; readonly id: string | null };
  /** Null for changes that were not made by a request. */
  readonly requestId: string | null;
  readonly details: Readonly<Record<string, unknown>> | null;
}

interface AuditEntryRow {
  id: string;
  at: Date;
  actor_kind: ActorKind;
  actor_id: string;
  action: AuditAction;
  target_kind: string;
  target_id: string | null;
  request_id: string | null;
  details: Readonly<Record<string, unknown>> | null;
}

/**
 * $1 organization, or null for all; $2 to $8 filter, $9 and $10 the last entry of the page before, $11 number of rows.
 */
const LIST = (ofOne: boolean): string => `
select id, at, actor_kind, actor_id, action, target_kind, target_id, request_id, details from audit_entries
 where ${ofOne ? 'organization_id = $1::uuid' : '$1::uuid is null'}
   and ($2::text is null or actor_kind = $2) and ($3::text is null or actor_id = $3)
   and ($4::text is null or action = $4)
   and ($5::text is null or target_kind = $5) and ($6::text is null or target_id = $6)
   and ($7::timestamptz is null or at >= $7) and ($8::timestamptz is null or at < $8)
   and ($9::timestamptz is null or (at, id) < ($9, $10::uuid))
 order by at desc, id desc limit $11`;

const EXPORT_PAGE = 1_000;

/** Reads the audit log, newest first. */
@Injectable()
export class AuditEntries {
  constructor(private readonly database: Database) {}

  /** Entries outlive their organization. */
  async knowOrganization(id: string): Promise<boolean> {
    const found = await this.database.query(
      `select where exists (select from organizations where id = $1)
                 or exists (select from audit_entries where organization_id = $1)`,
      [id],
    );
    return found.length > 0;
  }

  /** @param organizationId null for the whole installation */
  async list(organizationId: string | null, filter: AuditFilter, page: PageRequest): Promise<Page<AuditEntryView>> {
    const values = [
      organizationId,
      filter.actor?.kind ?? null,
      filter.actor?.id ?? null,
      filter.action ?? null,
      filter.target?.kind ?? null,
      filter.target?.id ?? null,
      toDate(filter.since),
      toDate(filter.until),
      page.after?.[0] ?? null,
      page.after?.[1] ?? null,
      page.limit + 1,
    ];
    const read = () => this.database.query<AuditEntryRow>(LIST(organizationId !== null), values);
    // A filter that few entries match reads all of an organization, which may be millions.
    const rows = await (organizationId === null ? read() : this.database.inReadTurn(organizationId, read));
    return toPage(rows, page.limit, toView, (row) => [row.at.toISOString(), row.id]);
  }

  /** Yields all entries in pages, so that an export of any length holds no transaction and needs little memory. */
  async *pages(organizationId: string | null, filter: AuditFilter): AsyncGenerator<readonly AuditEntryView[]> {
    let page: PageRequest | undefined = { limit: EXPORT_PAGE };
    while (page) {
      const { items, next }: Page<AuditEntryView> = await this.list(organizationId, filter, page);
      yield items;
      page = next && { limit: EXPORT_PAGE, after: next };
    }
  }
}

function toDate(milliseconds: number | undefined): Date | null {
  return milliseconds === undefined ? null : new Date(milliseconds);
}

function toView(row: AuditEntryRow): AuditEntryView {
  return {
    id: row.id,
    at: row.at.toISOString(),
    actor: { kind: row.actor_kind, id: row.actor_id },
    action: row.action,
    target: { kind: row.target_kind, id: row.target_id },
    requestId: row.request_id,
    details: row.details,
  };
}
