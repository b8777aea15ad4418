import { Injectable } from '@nestjs/common';
import { Database } from '../platform/database/database.js';
import { DomainError } from '../platform/errors/domain-error.js';
import { requestedAddressKey } from '../emails/mailbox.js';
import type { Page, PageRequest } from '../platform/http/paging.js';
import { suppressionReasons } from '../suppressions/suppression-check.sql.js';
import { strengthOf } from '../suppressions/suppression-view.js';
import { ContactSearch } from './contact-search.js';
import { ContactTimelines } from './contact-timeline.js';
import { toContactDetail, toContactView } from './contact-views.js';
import type { ContactDetail, ContactRow, ContactView } from './contact-views.js';

export class ContactNotFoundError extends DomainError {
  constructor() {
    super('not-found', 'Contact not found');
  }
}

/** Maximum per contact, because a plan may allow any number of campaigns. */
const MAX_CAMPAIGNS = { inList: 100, inDetail: 1_000 };
/** Maximum total length of campaign names on a page. */
const MAX_PAGE_BYTES = 4_000_000;

/** Of a row of `contacts c`. */
const STATUS = `coalesce((
  select case s.reason when 'complaint' then 'complained' when 'bounce' then 'bounced' else 'unsubscribed' end
    from (${suppressionReasons('c.organization_id', 'c.address_key')}) s
   where s.reason <> 'manual'
   order by ${strengthOf('s.reason')} limit 1), 'active')`;

/**
 * Selects contacts with the names of their campaigns, newest campaign first. The names are joined once for the whole
 * page, because most contacts of a page share them. A page ends early when its names are too long in total.
 * @param selection the SQL after `from contacts c`
 */
function selectContacts(selection: string, maxCampaigns: number): string {
  return `
    with page as materialized (
      select c.id, c.address, c.emails, c.opens, c.clicks, c.machine_opens, c.machine_clicks,
             c.first_seen_at, c.last_activity_at, c.bounces, c.complaints, ${STATUS} as status
        from contacts c ${selection}
    ), membership as (
      -- By the ID of the page: for that of the lateral query, the planner expects one group, and joins row by row.
      select page.id as contact_id, array_agg(k.name order by k.id desc) as campaigns
        from page cross join lateral (
          select campaign_id from contact_campaigns
           where contact_id = page.id order by campaign_id desc limit ${maxCampaigns}
        ) m join campaigns k on k.id = m.campaign_id
       group by page.id
    )
    select * from (
      select page.*, coalesce(membership.campaigns, '{}') as campaigns, count(*) over ()::int as found,
             sum(octet_length(array_to_string(membership.campaigns, ''))) over newest as bytes,
             row_number() over newest as row_position
        from page left join membership on membership.contact_id = page.id
      window newest as (order by page.last_activity_at desc, page.id desc)
    ) counted where row_position = 1 or coalesce(bytes, 0) <= ${MAX_PAGE_BYTES} order by row_position`;
}

interface FoundContacts {
  /** At most one more than the page has. Those that were erased since they were found are missing. */
  readonly rows: readonly ContactRow[];
  readonly found: number;
}

/** Engagement per recipient, across campaigns. */
@Injectable()
export class Contacts {
  constructor(
    private readonly database: Database,
    private readonly search: ContactSearch,
    private readonly timelines: ContactTimelines,
  ) {}

  /** Most recent activity first. @param search part of the address, ignoring case; may be empty */
  async list(organizationId: string, search: string, page: PageRequest): Promise<Page<ContactView>> {
    const { rows, found } = await this.database.inReadTurn(organizationId, () =>
      search === '' ? this.recent(organizationId, page) : this.matching(organizationId, search, page),
    );
    const kept = rows.slice(0, page.limit);
    const last = kept.at(-1);
    // A page also ends early when its names are too long.
    const hasMore = found > page.limit || rows.length < (rows[0]?.found ?? 0);
    return {
      items: kept.map(toContactView),
      ...(hasMore && last && { next: [last.last_activity_at.toISOString(), last.id] }),
    };
  }

  /** @throws ContactNotFoundError */
  async detail(organizationId: string, address: string): Promise<ContactDetail> {
    const { contact, events } = await this.database.snapshotOf(organizationId, async (sql) => {
      const [row] = await sql.query<ContactRow>(
        selectContacts('where c.organization_id = $1 and c.address_key = $2', MAX_CAMPAIGNS.inDetail),
        [organizationId, requestedAddressKey(address)],
      );
      if (!row) throw new ContactNotFoundError();
      return { contact: row, events: await this.timelines.read(sql, row.id) };
    });
    return toContactDetail(contact, await this.timelines.complete(organizationId, contact.id, events));
  }

  private async recent(organizationId: string, page: PageRequest): Promise<FoundContacts> {
    const rows = await this.database.query<ContactRow>(
      selectContacts(
        `where c.organization_id = $1
          and ($2::timestamptz is null or (c.last_activity_at, c.id) < ($2, $3::bigint))
        order by c.last_activity_at desc, c.id desc limit $4`,
        MAX_CAMPAIGNS.inList,
      ),
      [organizationId, page.after?.[0] ?? null, page.after?.[1] ?? null, page.limit + 1],
    );
    return { rows, found: rows[0]?.found ?? 0 };
  }

  /** Searches again if all contacts that it found are erased before they are read. */
  private async matching(organizationId: string, search: string, page: PageRequest): Promise<FoundContacts> {
    for (;;) {
      const ids = await this.search.find(organizationId, search, page);
      const rows = ids.length === 0 ? [] : await this.read(organizationId, ids);
      if (rows.length > 0 || ids.length === 0) return { rows, found: ids.length };
    }
  }

  /** A contact that is being erased belongs to no organization any more. */
  private read(organizationId: string, ids: readonly string[]): Promise<ContactRow[]> {
    return this.database.query<ContactRow>(
      selectContacts('where c.organization_id = $1 and c.id = any($2::bigint[])', MAX_CAMPAIGNS.inList),
      [organizationId, ids],
    );
  }
}
