import { firstUuidV7 } from '../../platform/clock/uuid-v7.js';
import type { PageRequest } from '../../platform/http/paging.js';
import { hasRecipientIn } from '../recipients/recipient-state.sql.js';
import type { EmailStatus } from '../email-status.js';
import type { EmailFilter } from './email-filter.js';

/** Each condition has an index: few emails are pending, failed or tracked. */
const hasStatus: Record<EmailStatus, string> = {
  queued: `e.id in (select email_id from pending_emails where organization_id = $1 and lease_token is null
      and queued_at <= now())`,
  scheduled: `e.id in (select email_id from pending_emails where organization_id = $1 and dispatched_at is null
      and due_at > now() and queued_at > now())`,
  sending: 'e.id in (select email_id from pending_emails where organization_id = $1 and lease_token is not null)',
  sent: "e.status = 'sent'",
  failed: 'e.failed_at is not null',
  tracked: 'e.tracked',
  canceled: 'e.id in (select email_id from canceled_emails where organization_id = $1)',
};

/** The filter of a list, with the IDs and keys of the items that it names. */
export interface ListFilter extends Pick<EmailFilter, 'status' | 'tag' | 'since' | 'until' | 'state'> {
  readonly organizationId: string;
  readonly campaignId: string | undefined;
  readonly contactId: string | undefined;
  readonly sender: string | undefined;
}

export interface ListStatement {
  /** The emails `e` of a page and one more, newest first, to be selected from. */
  readonly source: string;
  readonly values: unknown[];
  /** Selects the ID at which the page stopped although more emails may follow. */
  readonly end?: { readonly sql: string; readonly values: unknown[] };
}

/** How many emails a page checks if an index finds more than the filter matches. They take 10 to 20 ms. */
const MAX_CHECKED = 3_000;
/** The same for a search, whose pages are fewer. */
export const MAX_CANDIDATES = 5_000;

/** The conditions of a filter, each of which adds its values. */
export class ListConditions {
  readonly values: unknown[];

  constructor(private readonly filter: ListFilter) {
    this.values = [filter.organizationId];
  }

  /** The placeholder of a value in the statement. */
  add(value: unknown): string {
    return `$${this.values.push(value)}`;
  }

  /**
   * Of the emails `e`, by indexes that know their order.
   * @param areLookedUp true if another part of the statement has found the emails
   */
  indexed(areLookedUp = false): string[] {
    const { status, campaignId, sender } = this.filter;
    const isCanceled = areLookedUp ? 'e.canceled_at is not null' : hasStatus.canceled;
    return [
      'e.organization_id = $1',
      ...(status === undefined ? [] : [status === 'canceled' ? isCanceled : hasStatus[status]]),
      ...(campaignId === undefined ? [] : [`e.campaign_id = ${this.add(campaignId)}`]),
      ...(sender === undefined ? [] : [`e.sender_key = ${this.add(sender)}`]),
    ];
  }

  /** A table `m` that has the emails of a contact, of a tag, or the canceled ones, with a condition. */
  members(): string {
    const { contactId, tag } = this.filter;
    if (contactId !== undefined)
      return `contact_emails m
          where m.contact_id = (select id from contacts where organization_id = $1 and id = ${this.add(contactId)})`;
    if (tag !== undefined) return `email_tags m where m.organization_id = $1 and m.tag = ${this.add(tag)}`;
    return 'canceled_emails m where m.organization_id = $1';
  }

  contact(): string[] {
    const { contactId } = this.filter;
    return contactId === undefined ? [] : [`${this.add(contactId)}::bigint = any(e.contact_ids)`];
  }

  tag(): string[] {
    return this.filter.tag === undefined ? [] : [`${this.add(this.filter.tag)} = any(e.tags)`];
  }

  state(): string[] {
    return this.filter.state === undefined ? [] : [hasRecipientIn(this.filter.state)];
  }

  /**
   * Within the time range of the filter, and accepted before an email. An ID begins with the time of its acceptance.
   */
  within(id: string, after: string | undefined): string {
    const { since, until } = this.filter;
    return [
      ...(after === undefined ? [] : [` and ${id} < ${this.add(after)}`]),
      ...(since === undefined ? [] : [` and ${id} >= ${this.add(firstUuidV7(since))}`]),
      ...(until === undefined ? [] : [` and ${id} < ${this.add(firstUuidV7(until))}`]),
    ].join('');
  }

  /**
   * Checks each of the newest emails without looking it up again.
   * @param others the conditions on each
   */
  checkEach(emails: string, limit: number, others: readonly string[]): ListStatement {
    const size = Math.max(limit + 1, MAX_CHECKED);
    const newest = (columns: string): string => `(select ${columns} from ${emails} order by e.id desc limit ${size}) e`;
    const end = { sql: `select id from ${newest('e.id')} offset ${size - 1}`, values: [...this.values] };
    const source = `${newest('*')} where ${others.join(' and ')} order by e.id desc limit ${limit + 1}`;
    return { source, values: this.values, end };
  }

  /**
   * Looks up each candidate, newest first.
   * @param others the conditions on each; their values follow those of the candidates
   */
  lookUpEach(
    candidates: string,
    limit: number,
    others: () => string[],
    most = MAX_CANDIDATES,
  ): Required<ListStatement> {
    const size = Math.max(limit + 1, most);
    const newest = `(${candidates} order by 1 desc limit ${size}) candidate`;
    const end = { sql: `select id from ${newest} offset ${size - 1}`, values: [...this.values] };
    const source = `${newest}
      cross join lateral (select * from emails e where e.id = candidate.id and ${others().join(' and ')} limit 1) e
       order by candidate.id desc limit ${limit + 1}`;
    return { source, values: this.values, end };
  }
}

/**
 * Reads candidates from the index that narrows the list most, newest first, and looks up the rest of the filter for
 * each. Only the requested conditions are in the statement, so that each combination uses its own index.
 */
export function listStatement(filter: ListFilter, { limit, after }: PageRequest): ListStatement {
  const conditions = new ListConditions(filter);
  const { contactId, tag, state, status } = filter;
  if (contactId === undefined && tag === undefined && status !== 'canceled') {
    const emails = `emails e where ${conditions.indexed().join(' and ')}${conditions.within('e.id', after?.[0])}`;
    if (state !== undefined) return conditions.checkEach(emails, limit, conditions.state());
    return { source: `${emails} order by e.id desc limit ${limit + 1}`, values: conditions.values };
  }
  const candidates = `select m.email_id as id from ${conditions.members()}${conditions.within('m.email_id', after?.[0])}`;
  const others = () => [
    ...conditions.indexed(true),
    ...(contactId === undefined ? [] : conditions.tag()),
    ...conditions.state(),
  ];
  return conditions.lookUpEach(candidates, limit, others, MAX_CHECKED);
}
