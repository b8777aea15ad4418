import { plainArray, textArray } from '../../platform/database/array-literal.js';
import type { Sql } from '../../platform/database/database.js';
import type { EngagementEvent } from '../engagement-event.js';
import type { HandedOver } from './rules/hit.js';
import { HAS_WEBHOOK_LISTENER } from '../../webhooks/webhook-payloads.sql.js';

/** The fields of an email that a flush needs. */
export interface KnownEmail extends HandedOver {
  readonly id: string;
  readonly trackingId: string;
  readonly organizationId: string;
  readonly campaignId: string | null;
  readonly contactIds: readonly string[];
  /** True when a webhook subscribes to its opens or clicks. */
  readonly hasWebhookListener: boolean;
  readonly opens: number;
  readonly clicks: number;
  readonly machineOpens: number;
  readonly machineClicks: number;
  /** True when it counts among the unique opens of its campaign. */
  readonly personOpened: boolean;
  readonly personClicked: boolean;
  /** The time of the latest single click, in milliseconds since the Unix epoch. */
  readonly lastClickAt: number | null;
  /** True when its figures are among those by the hour. */
  readonly inStats: boolean;
  /** True once hits of it were beyond a limit, and only counted. */
  readonly hitsSummed: boolean;
  /** Its first open by a person, in milliseconds since the Unix epoch. */
  readonly firstOpenAt: number | null;
  readonly firstClickAt: number | null;
}

/**
 * Times are floats, because arithmetic with numerics takes ten times as long. Of an email that another provider sends,
 * `sent_at` is only the time of its registration. $1: tracking IDs.
 */
const FIND_EMAILS = `
select id, tracking_id as "trackingId", organization_id as "organizationId", campaign_id as "campaignId", contact_ids as "contactIds",
  ${HAS_WEBHOOK_LISTENER} as "hasWebhookListener",
  opens::float8, clicks::float8, machine_opens::float8 as "machineOpens", machine_clicks::float8 as "machineClicks",
  person_opened as "personOpened", person_clicked as "personClicked",
  round(date_part('epoch', last_click_at) * 1000) as "lastClickAt", in_stats as "inStats", hits_summed as "hitsSummed",
  round(date_part('epoch', first_open_at) * 1000) as "firstOpenAt",
  round(date_part('epoch', first_click_at) * 1000) as "firstClickAt",
  case when not tracked then round(date_part('epoch', sent_at) * 1000) end as "sentAt",
  attempts <= 1 and not possible_duplicate as "isOnlyAttempt"
from emails where tracking_id = any($1::text[])`;

/** In the lock order of emails that all code uses. */
const LOCK_EMAILS = `${FIND_EMAILS} order by id for no key update`;

/** $1: ids of contacts, locked in the order that all code uses. */
const LOCK_CONTACTS = `
select count(*) from (
  select from contacts where id = any($1::bigint[]) order by organization_id, address_key for no key update
) locked`;

/**
 * Finds the emails of events by tracking ID. It locks the emails whose counters may change, and then the contacts of
 * all of them. A `sent` event may change those of an email that was opened before its hand-over was recorded.
 */
export async function lockEmails(
  sql: Sql,
  events: readonly EngagementEvent[],
): Promise<ReadonlyMap<string, KnownEmail>> {
  const engaged = new Set<string>();
  for (const event of events) if (event.type !== 'sent') engaged.add(event.emailTrackingId);
  const sent = new Set<string>();
  for (const { emailTrackingId } of events) if (!engaged.has(emailTrackingId)) sent.add(emailTrackingId);

  const known = new Map<string, KnownEmail>();
  const contactIds = new Set<string>();
  const collect = (email: KnownEmail): void => {
    known.set(email.trackingId, email);
    for (const contactId of email.contactIds) contactIds.add(contactId);
  };
  if (sent.size > 0) {
    for (const email of await sql.prepared<KnownEmail>('flush-find-emails', FIND_EMAILS, [textArray([...sent])])) {
      if (email.opens + email.clicks > 0) engaged.add(email.trackingId);
      else collect(email);
    }
  }
  if (engaged.size > 0) {
    const locked = await sql.prepared<KnownEmail>('flush-lock-emails', LOCK_EMAILS, [textArray([...engaged])]);
    for (const email of locked) collect(email);
  }
  if (contactIds.size > 0) await sql.prepared('flush-lock-contacts', LOCK_CONTACTS, [plainArray([...contactIds])]);
  return known;
}
