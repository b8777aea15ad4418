import { containsText } from '../../platform/database/contains-text.sql.js';
import { NIL_UUID } from '../../platform/database/nil-uuid.js';
import { ListConditions, MAX_CANDIDATES, type ListFilter, type ListStatement } from './list-statement.js';

/** A search, with the contacts that it has found. */
export interface EmailSearch {
  /** In upper or lower case. */
  readonly text: string;
  readonly contactIds: readonly string[];
}

/** Emails whose subjects are searched together: those from `floor` on, before `after`. At most `MAX_CANDIDATES`. */
interface SearchWindow {
  readonly floor: string;
  readonly after: string | undefined;
}

/** Selects the last of the emails whose subjects are searched together, if there may be older ones. */
export function floorStatement(filter: ListFilter, after: string | undefined): { sql: string; values: unknown[] } {
  const conditions = new ListConditions(filter);
  const where = `${conditions.indexed().join(' and ')}${conditions.within('e.id', after)}`;
  const sql = `select e.id from emails e where ${where} order by e.id desc offset ${MAX_CANDIDATES - 1} limit 1`;
  return { sql, values: conditions.values };
}

/**
 * Emails to the contacts, however old they are, and those of the window by their subjects. Each contact contributes its
 * newest emails. Without another filter, these fill the page. With one, a page ends at the newest of the last ones, so
 * that none is shown before an email of another contact that was not looked up.
 */
export function searchStatement(
  filter: ListFilter,
  { text, contactIds }: EmailSearch,
  window: SearchWindow,
  limit: number,
): ListStatement {
  const conditions = new ListConditions(filter);
  const share = Math.max(limit + 1, Math.ceil(MAX_CANDIDATES / Math.max(1, contactIds.length)));
  const subjects = bySubject(conditions, text, window);
  const contacts = `unnest(${conditions.add(contactIds)}::bigint[]) k (id)`;
  const ofContact = `select email_id from contact_emails where contact_id = k.id${conditions.within('email_id', window.after)}
        order by email_id desc`;
  const each = (part: string): string =>
    `select m.email_id from ${contacts} cross join lateral (${ofContact} ${part}) m`;
  const found = `select id from (${subjects} union ${each(`limit ${share}`)}) found`;
  if (!narrows(filter)) {
    const { source, values } = conditions.lookUpEach(found, limit, () => rest(conditions));
    return { source, values };
  }
  const last = `(${each(`offset ${share - 1} limit 1`)} order by 1 desc limit 1)`;
  const complete = `${found} where id >= coalesce(${last}, '${NIL_UUID}')`;
  const { source, values, end } = conditions.lookUpEach(complete, limit, () => rest(conditions));
  const sql = `select id from (select coalesce((${end.sql}), ${last}) as id) reached where id is not null`;
  return { source, values, end: { sql, values: end.values } };
}

function narrows({ status, campaignId, sender, contactId, tag, state }: ListFilter): boolean {
  return [status, campaignId, sender, contactId, tag, state].some((value) => value !== undefined);
}

/** Emails of the window by their subjects, without those to the contacts. */
export function subjectStatement(
  filter: ListFilter,
  { text, contactIds }: EmailSearch,
  window: SearchWindow,
  limit: number,
): ListStatement {
  const conditions = new ListConditions(filter);
  return conditions.lookUpEach(bySubject(conditions, text, window), limit, () => [
    ...rest(conditions),
    `not e.contact_ids && ${conditions.add(contactIds)}::bigint[]`,
  ]);
}

/**
 * The limit makes Postgres look up each subject: otherwise it would join emails that other organizations sent at that
 * time.
 */
function bySubject(conditions: ListConditions, text: string, { floor, after }: SearchWindow): string {
  const where = [...conditions.indexed(), `e.id >= ${conditions.add(floor)}`].join(' and ');
  const emails = `select e.id from emails e where ${where}${conditions.within('e.id', after)}
       order by e.id desc limit ${MAX_CANDIDATES}`;
  return `select c.email_id as id from (${emails}) e join email_contents c on c.email_id = e.id
       where ${containsText('c.subject', conditions.add(text))}`;
}

function rest(conditions: ListConditions): string[] {
  return [...conditions.indexed(true), ...conditions.contact(), ...conditions.tag(), ...conditions.state()];
}
