import { isUuid } from '../../platform/clock/uuid-v7.js';
import { plainArray, textArray } from '../../platform/database/array-literal.js';
import type { Sql } from '../../platform/database/database.js';
import type { RecipientEvent } from '../../events/recipient-event.js';
import { IS_OWN_MAIL } from '../../organizations/guard/own-mail.sql.js';
import { hasRecipientListener } from '../../webhooks/recipient-payloads.sql.js';
import { ID_AMONG } from '../email-id.sql.js';
import { addressKey, bareAddress, ERASED_ADDRESS } from '../mailbox.js';

/** The parts of an email that its reports need. */
export interface ReportedEmail {
  readonly id: string;
  readonly organizationId: string;
  readonly campaignId: string | null;
  readonly status: string;
  /** True when the organization's own provider has it. */
  readonly isOwn: boolean;
  /** True when its figures are among those by the hour. */
  readonly inStats: boolean;
  /** True when a webhook subscribes to events about recipients. */
  readonly hasListener: boolean;
  /** Addresses of to, cc and bcc, in this order. */
  readonly addresses: readonly string[];
}

/** A report whose email and recipient exist. */
export interface Report {
  readonly event: RecipientEvent;
  readonly email: ReportedEmail;
  readonly address: string;
  readonly addressKey: string;
}

/** Why a report is dropped. `too-many` is from `boundReports`. */
export type DropReason = 'unknown-email' | 'unknown-recipient' | 'too-many';

const FIND_IDS = `select id, tracking_id as "trackingId" from emails where tracking_id = any($1::text[])`;

/** In the lock order of emails that all code uses. */
const LOCK = `select e.id from emails e where ${ID_AMONG} order by e.id for no key update`;

/**
 * A statement after the locks, so that it sees no address that was erased while it waited for them. An address contains
 * no line break.
 */
const READ = `
select e.id, e.organization_id as "organizationId", e.campaign_id as "campaignId", e.status, e.in_stats as "inStats",
  ${hasRecipientListener('e.organization_id')} as "hasListener", ${IS_OWN_MAIL} as "isOwn",
  array_to_string(c.to_addresses || c.cc_addresses || c.bcc_addresses, E'\\n') as mailboxes
from emails e left join email_contents c on c.email_id = e.id where ${ID_AMONG}`;

type Row = Omit<ReportedEmail, 'addresses'> & { readonly mailboxes: string | null };

/** Locks the emails of events. Keys are the IDs and tracking IDs by which the events name them. */
export async function lockReportedEmails(
  sql: Sql,
  events: readonly RecipientEvent[],
): Promise<ReadonlyMap<string, ReportedEmail>> {
  const ids = new Set<string>();
  const trackingIds = new Set<string>();
  for (const { email } of events) (isUuid(email) ? ids : trackingIds).add(email);
  const aliases = await findIds(sql, trackingIds);
  for (const { id } of aliases) ids.add(id);
  const known = new Map<string, ReportedEmail>();
  if (ids.size === 0) return known;
  await sql.prepared('lock-reported-emails', LOCK, [plainArray([...ids])]);
  const rows = await sql.prepared<Row>('read-reported-emails', READ, [plainArray([...ids])]);
  for (const { mailboxes, ...email } of rows) {
    known.set(email.id, { ...email, addresses: (mailboxes ?? '').split('\n').map(bareAddress) });
  }
  for (const id of ids) if (!known.has(id) && known.has(id.toLowerCase())) known.set(id, known.get(id.toLowerCase())!);
  for (const { id, trackingId } of aliases) if (known.has(id)) known.set(trackingId, known.get(id)!);
  return known;
}

/** Splits events into reports and those about an email or a recipient that does not exist. */
export function resolveReports(
  events: readonly RecipientEvent[],
  emails: ReadonlyMap<string, ReportedEmail>,
): { reports: Report[]; dropped: { event: RecipientEvent; reason: DropReason }[] } {
  const reports: Report[] = [];
  const dropped: { event: RecipientEvent; reason: DropReason }[] = [];
  for (const event of events) {
    const email = emails.get(event.email);
    const address = email && addressIn(email, event.recipient);
    if (!email) dropped.push({ event, reason: 'unknown-email' });
    else if (!address) dropped.push({ event, reason: 'unknown-recipient' });
    else reports.push({ event: storable(event), email, address, addressKey: addressKey(address) });
  }
  return { reports, dropped };
}

/** Undefined for a recipient that the email does not have, or that was erased. */
function addressIn({ addresses }: ReportedEmail, recipient: string | number): string | undefined {
  if (typeof recipient === 'number') return addresses[recipient] === ERASED_ADDRESS ? undefined : addresses[recipient];
  if (recipient === ERASED_ADDRESS) return undefined;
  if (addresses.includes(recipient)) return recipient;
  const key = addressKey(recipient);
  return addresses.find((address) => addressKey(address) === key);
}

/** Postgres stores no NUL. */
function storable(event: RecipientEvent): RecipientEvent {
  return event.reason?.includes('\0') ? { ...event, reason: event.reason.replaceAll('\0', '') } : event;
}

async function findIds(sql: Sql, trackingIds: ReadonlySet<string>): Promise<{ id: string; trackingId: string }[]> {
  if (trackingIds.size === 0) return [];
  return sql.prepared('find-reported-emails', FIND_IDS, [textArray([...trackingIds])]);
}
