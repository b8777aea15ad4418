import { Injectable } from '@nestjs/common';
import { storedPart } from '../platform/addresses/stored-part.js';
import { Database } from '../platform/database/database.js';
import { DomainError } from '../platform/errors/domain-error.js';
import { AuditLog, type Author } from '../organizations/audit/record-audit.js';
import { toPage, type Page, type PageRequest } from '../platform/http/paging.js';
import { requestedAddressKey } from '../emails/mailbox.js';
import { addSuppressions, type AddedCounts } from './add-suppressions.js';
import type { SuppressionInput } from './insert-suppressions.js';
import type { SuppressionFilter } from './suppression-requests.js';
import { strengthOf, toSuppressionView, type SuppressionRow, type SuppressionView } from './suppression-view.js';

export class SuppressionNotFoundError extends DomainError {
  constructor() {
    super('not-found', 'This address is not suppressed');
  }
}

const COLUMNS = 'address_key, address, reason, email_id, note, created_at';

/** The row that an entry shows. */
const STRONGEST = (addressKeySql: string): string => `
  select ${COLUMNS} from suppressions where organization_id = $1 and address_key = ${addressKeySql}
   order by ${strengthOf('reason')} limit 1`;

/**
 * The entry of address $2, also if the person was erased: then the address is known only from the request. An entry
 * that was added since may be weaker than the opt-out that stayed.
 */
const STRONGEST_OR_ERASED = `
  select ${COLUMNS} from (
    select ${COLUMNS}, false as is_erased from suppressions where organization_id = $1 and address_key = $2
    union all
    select $2::text, $2::text, reason, null, null, created_at, true
      from erased_suppressions where organization_id = $1 and address_hash = person_hash($1, $2)
  ) reasons
   order by ${strengthOf('reason')}, is_erased limit 1`;

/** The addresses that an organization must not write to: one entry per address, with its strongest reason. */
@Injectable()
export class Suppressions {
  constructor(private readonly database: Database) {}

  /** Newest first. @param filter finds entries by the reason that they show */
  async list(organizationId: string, filter: SuppressionFilter, page: PageRequest): Promise<Page<SuppressionView>> {
    const { search, reason = null } = filter;
    const [at, key] = page.after ?? [null, null];
    const values = [organizationId, storedPart(search), reason, at, key, page.limit + 1];
    const rows = await this.database.inReadTurn(organizationId, () =>
      this.database.query<SuppressionRow>(listStatement(filter), values),
    );
    return toPage(rows, page.limit, toSuppressionView, (row) => [row.created_at.toISOString(), row.address_key]);
  }

  /** @throws SuppressionNotFoundError */
  async get(organizationId: string, address: string): Promise<SuppressionView> {
    const values = [organizationId, requestedAddressKey(address)];
    const [row] = await this.database.query<SuppressionRow>(STRONGEST_OR_ERASED, values);
    if (!row) throw new SuppressionNotFoundError();
    return toSuppressionView(row);
  }

  /** Adds reasons. A reason that an address has already stays as it is. */
  async add(author: Author, suppressions: readonly SuppressionInput[]): Promise<AddedCounts> {
    return this.database.transactionOf(author.organizationId, (sql) =>
      addSuppressions(sql, author, 'suppression.added', suppressions),
    );
  }

  /**
   * Removes all reasons of an address. Its earlier soft bounces no longer count.
   * @throws SuppressionNotFoundError
   */
  async remove(author: Author, address: string): Promise<void> {
    await this.database.transactionOf(author.organizationId, async (sql) => {
      const { organizationId } = author;
      const [removed] = await sql.query<{ contact: string | null }>(
        `with removed as (
         delete from suppressions where organization_id = $1 and address_key = $2 returning reason
       ), erased as (
         delete from erased_suppressions where organization_id = $1 and address_hash = person_hash($1, $2) returning reason
       ), reset as (
         insert into soft_bounce_resets (organization_id, address_key)
         select $1, $2 where exists (select from removed)
         on conflict (organization_id, address_key) do update set reset_at = excluded.reset_at
       )
       select (select id from contacts where organization_id = $1 and address_key = $2) as contact from (select from removed union all select from erased) reasons limit 1`,
        [organizationId, requestedAddressKey(address)],
      );
      if (!removed) throw new SuppressionNotFoundError();
      // The ID of the contact, because the log must not keep an address that is to be erased.
      const target = { kind: 'contact', id: removed.contact } as const;
      await AuditLog.record(sql, { ...author, action: 'suppression.deleted', target });
    });
  }
}

/**
 * Reads the index that has the order of the list, and looks up the strongest reason of each address there. Several
 * reasons of an address with equal times share one position. A search reads the index until the page is full.
 */
function listStatement({ search, reason }: SuppressionFilter): string {
  return `
    select s.* from (
      select distinct created_at, address_key from suppressions
       where organization_id = $1
         ${reason === undefined ? 'and $3::text is null' : 'and reason = $3'}
         ${search === '' ? "and $2 = ''" : 'and strpos(address_key, $2) > 0'}
         and ($4::timestamptz is null or (created_at, address_key) < ($4, $5::text))
       order by created_at desc, address_key desc
    ) place
    cross join lateral (${STRONGEST('place.address_key')}) s
    where s.created_at = place.created_at and ($3::text is null or s.reason = $3)
    order by place.created_at desc, place.address_key desc limit $6`;
}
