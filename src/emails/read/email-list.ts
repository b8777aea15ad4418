import { Inject, Injectable } from '@nestjs/common';
import { ContactSearch } from '../../contacts/contact-search.js';
import { Campaigns } from '../../campaigns/campaigns.js';
import { SETTINGS, type Settings } from '../../platform/config/settings.js';
import { Database, type Sql } from '../../platform/database/database.js';
import { pageUpToBytes, toPageUpToBytes, type RowUpToBytes } from '../../platform/http/page-up-to-bytes.sql.js';
import type { Page, PageRequest } from '../../platform/http/paging.js';
import type { EmailFilter } from './email-filter.js';
import {
  LISTED_BYTES,
  toEmailView,
  VIEW_COLUMNS,
  VIEW_JOINS,
  VIEW_SOURCE,
  type EmailView,
  type EmailViewRow,
} from './email-view.js';
import { listStatement, type ListFilter, type ListStatement } from './list-statement.js';
import { OLDER_SUBJECTS } from './search-position.js';
import { floorStatement, searchStatement, subjectStatement, type EmailSearch } from './search-statement.js';
import { addressKey, bareAddress } from '../mailbox.js';
import {
  RECIPIENT_COUNTS,
  toRecipientCounts,
  type RecipientCounts,
  type RecipientCountsRow,
} from '../recipients/recipient-counts.js';
import { senderKey } from '../sender-key.js';
import { NIL_UUID } from '../../platform/database/nil-uuid.js';

export interface EmailSummary extends EmailView {
  /** The addresses of `to`, joined by ", ". */
  readonly recipient: string;
  /** Of all recipients, also those in `cc` and `bcc`. */
  readonly recipientStates: RecipientCounts;
}

interface Row extends EmailViewRow, RecipientCountsRow, RowUpToBytes {
  to_addresses: string[];
}

/** The contacts that a search finds, most recent activity first. */
const MAX_CONTACTS = 100;

/** The emails of an organization, newest first. */
@Injectable()
export class EmailList {
  constructor(
    private readonly database: Database,
    private readonly campaigns: Campaigns,
    private readonly contacts: ContactSearch,
    @Inject(SETTINGS) private readonly settings: Settings,
  ) {}

  /** If few emails match the filter, a page may end before its limit, so that it never takes long. */
  list(organizationId: string, filter: EmailFilter, page: PageRequest): Promise<Page<EmailSummary>> {
    return this.database.inReadTurn(organizationId, () => this.find(organizationId, filter, page));
  }

  private async find(organizationId: string, filter: EmailFilter, page: PageRequest): Promise<Page<EmailSummary>> {
    const ids = await this.idsOf(organizationId, filter);
    if (ids === undefined) return { items: [] };
    const { PLATFORM_SENDING_DOMAIN } = this.settings;
    const sender =
      filter.from === undefined ? undefined : senderKey(organizationId, filter.from, PLATFORM_SENDING_DOMAIN);
    const named = { organizationId, ...filter, ...ids, sender };
    if (filter.search === undefined) {
      const statement = listStatement(named, page);
      if (!statement.end) return this.read(this.database, statement, page.limit);
      return this.database.snapshot((sql) => this.read(sql, statement, page.limit));
    }
    const contactIds = await this.contacts.find(organizationId, filter.search, { limit: MAX_CONTACTS - 1 });
    const search = { text: filter.search, contactIds };
    return this.database.snapshot((sql) => this.search(sql, named, search, page));
  }

  /**
   * First returns emails to the contacts and the newest emails with the subject; then older emails with the subject, a
   * part of them per page.
   */
  private async search(
    sql: Sql,
    filter: ListFilter,
    search: EmailSearch,
    { limit, after: [after, mark] = [] }: PageRequest,
  ): Promise<Page<EmailSummary>> {
    const isOlder = mark === OLDER_SUBJECTS;
    const floor = await this.floorOf(sql, filter, after, isOlder ? undefined : mark);
    const statement = isOlder ? subjectStatement : searchStatement;
    const found = await this.read(sql, statement(filter, search, { floor, after }, limit), limit);
    if (found.next) return { ...found, next: [...found.next, isOlder ? OLDER_SUBJECTS : floor] };
    return floor === NIL_UUID ? found : { ...found, next: [floor, OLDER_SUBJECTS] };
  }

  /** @param earlier that of the page before; more emails above it may match the filter by now, which raises it */
  private async floorOf(sql: Sql, filter: ListFilter, after: string | undefined, earlier = NIL_UUID): Promise<string> {
    const floor = floorStatement(filter, after);
    const [last] = await sql.query<{ id: string }>(floor.sql, floor.values);
    return last && last.id > earlier ? last.id : earlier;
  }

  /**
   * @param sql on one snapshot if the statement has an end: emails that change in between would be left out or repeated
   */
  private async read(sql: Sql, statement: ListStatement, limit: number): Promise<Page<EmailSummary>> {
    const rows = await sql.query<Row>(pageOf(statement.source), statement.values);
    const found = toPageUpToBytes(rows, limit, toSummary, (row) => [row.id]);
    if (found.next !== undefined || !statement.end) return found;
    const [last] = await sql.query<{ id: string }>(statement.end.sql, statement.end.values);
    return last ? { ...found, next: [last.id] } : found;
  }

  /** The IDs of the items that the filter names; undefined when there is no such campaign or contact. */
  private async idsOf(
    organizationId: string,
    { campaignId: campaign, recipient }: EmailFilter,
  ): Promise<{ campaignId: string | undefined; contactId: string | undefined } | undefined> {
    const campaignId = campaign === undefined ? undefined : await this.campaigns.idOf(organizationId, campaign);
    const contactId = recipient === undefined ? undefined : await this.contactIdOf(organizationId, recipient);
    const isUnknown = (campaign !== undefined && !campaignId) || (recipient !== undefined && !contactId);
    return isUnknown ? undefined : { campaignId, contactId };
  }

  private async contactIdOf(organizationId: string, address: string): Promise<string | undefined> {
    const [contact] = await this.database.query<{ id: string }>(
      'select id from contacts where organization_id = $1 and address_key = $2',
      [organizationId, addressKey(address)],
    );
    return contact?.id;
  }
}

/**
 * Limits the page before the joins: joins in key order would scan all newer rows. A page of emails to fifty recipients
 * with long names would take 100 MB.
 */
function pageOf(source: string): string {
  return pageUpToBytes(
    `
    with page as materialized (select ${VIEW_SOURCE} from ${source})
    select ${VIEW_COLUMNS}, c.to_addresses, ${RECIPIENT_COUNTS}, ${LISTED_BYTES}
      from page e ${VIEW_JOINS}`,
    'id desc',
  );
}

function toSummary(row: Row): EmailSummary {
  return {
    ...toEmailView(row),
    recipient: row.to_addresses.map(bareAddress).join(', '),
    recipientStates: toRecipientCounts(row.status, row),
  };
}
