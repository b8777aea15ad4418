import { firstUuidV7 } from '../../platform/clock/uuid-v7.js';
import type { PageRequest } from '../../platform/http/paging.js';
import { hasRecipientIn } from '../recipients/recipient-state.sql.js';
import type { EmailFilter } from './email-filter.js';

/** Each condition has an index: few emails are pending, failed or tracked. */
const hasStatus: Record<NonNullable<EmailFilter['status']>, string> = {
  queued: `e.id in (select email_id from pending_emails where organization_id = $1 and lease_token is null
      and queued_at <= now())`,
  scheduled: `e.id in (select email_id from pending_emails where organization_id = $1 and dispatched_at is null
      and due_at > now() and queued_at > now())`,
  sending: 'e.id in (select email_id from pending_emails where organization_id = $1 and lease_token is not null)',
  sent: "e.status = 'sent'",
  failed: 'e.failed_at is not null',
  tracked: 'e.tracked',
  canceled: 'e.canceled_at is not null',
};

/** What a list is filtered by, with the IDs and keys of what it names. */
interface ListFilter extends Pick<EmailFilter, 'status' | 'tag' | 'since' | 'until' | 'state'> {
  readonly organizationId: string;
  readonly campaignId: string | undefined;
  readonly contactId: string | undefined;
  readonly sender: string | undefined;
  readonly search?: EmailSearch | undefined;
}

/** A search, with the contacts that it has found. */
interface EmailSearch {
  /** In lower case. */
  readonly text: string;
  readonly contactIds: readonly string[];
}

interface ListStatement {
  /** The emails `e` of a page and one more, newest first, to be selected from. */
  readonly source: string;
  readonly values: unknown[];
  /** Selects the ID at which the page stopped although there may be more behind it. */
  readonly end?: { readonly sql: string; readonly values: unknown[] };
}

/** Emails that a page looks at where an index finds more than the filter matches. They take about 30 ms. */
const MAX_CANDIDATES = 5_000;

/**
 * Reads candidates from the index that narrows the list most, newest first, and looks up the rest of the filter for
 * each. Only the requested conditions are in the statement, so that each combination uses its own index.
 */
export function listStatement(filter: ListFilter, { limit, after }: PageRequest): ListStatement {
  const values: unknown[] = [filter.organizationId];
  const add = (value: unknown): string => `$${values.push(value)}`;
  const { contactId, tag, search } = filter;
  // An email's ID begins with the time of its acceptance.
  const inTime = (id: string): string =>
    [
      ...(filter.since === undefined ? [] : [` and ${id} >= ${add(firstUuidV7(filter.since))}`]),
      ...(filter.until === undefined ? [] : [` and ${id} < ${add(firstUuidV7(filter.until))}`]),
    ].join('');
  const within = (id: string): string => (after ? ` and ${id} < ${add(after[0])}` : '') + inTime(id);
  const conditions = (): string[] => [
    'e.organization_id = $1',
    ...(filter.status === undefined ? [] : [hasStatus[filter.status]]),
    ...(filter.campaignId === undefined ? [] : [`e.campaign_id = ${add(filter.campaignId)}`]),
    ...(filter.sender === undefined ? [] : [`e.sender_key = ${add(filter.sender)}`]),
  ];
  const state = filter.state === undefined ? [] : [hasRecipientIn(filter.state)];

  if (search) {
    // Whatever page is read, the newest emails are the same, so that no page leaves a subject out.
    const newest = `select e.id from emails e where ${conditions().join(' and ')}${inTime('e.id')}
       order by e.id desc limit ${MAX_CANDIDATES}`;
    const bySubject = `select c.email_id as id from (${newest}) newest join email_contents c on c.email_id = newest.id
       where strpos(lower(c.subject), ${add(search.text)}) > 0`;
    const share = Math.max(limit + 1, Math.ceil(MAX_CANDIDATES / Math.max(1, search.contactIds.length)));
    const byRecipient = `select m.email_id from unnest(${add(search.contactIds)}::bigint[]) k (id) cross join lateral (
       select email_id from contact_emails where contact_id = k.id${within('email_id')}
        order by email_id desc limit ${share}) m`;
    const others = (): string[] => [
      ...conditions(),
      ...(contactId === undefined ? [] : [`${add(contactId)}::bigint = any(e.contact_ids)`]),
      ...(tag === undefined ? [] : [`${add(tag)} = any(e.tags)`]),
      ...state,
    ];
    const found = `select id from (${bySubject} union ${byRecipient}) found where true${within('id')}`;
    return lookUpEach(found, values, others, limit);
  }
  if (contactId === undefined && tag === undefined) {
    const emails = `emails e where ${conditions().join(' and ')}${within('e.id')}`;
    if (state.length > 0) return lookUpEach(`select e.id from ${emails}`, values, () => state, limit);
    return { source: `${emails} order by e.id desc limit ${limit + 1}`, values };
  }
  const members =
    contactId === undefined
      ? `email_tags m where m.organization_id = $1 and m.tag = ${add(tag)}`
      : `contact_emails m
          where m.contact_id = (select id from contacts where organization_id = $1 and id = ${add(contactId)})`;
  const others = (): string[] => [
    ...conditions(),
    ...(tag === undefined || contactId === undefined ? [] : [`${add(tag)} = any(e.tags)`]),
    ...state,
  ];
  return lookUpEach(`select m.email_id as id from ${members}${within('m.email_id')}`, values, others, limit);
}

/** @param others the conditions on each candidate; their values follow those of the candidates */
function lookUpEach(candidates: string, values: unknown[], others: () => string[], limit: number): ListStatement {
  const size = Math.max(limit + 1, MAX_CANDIDATES);
  const newest = `(${candidates} order by 1 desc limit ${size}) candidate`;
  const end = { sql: `select id from ${newest} offset ${size - 1}`, values: [...values] };
  const source = `${newest}
      cross join lateral (select * from emails e where e.id = candidate.id and ${others().join(' and ')} limit 1) e
       order by candidate.id desc limit ${limit + 1}`;
  return { source, values, end };
}
