import type { Database } from '../../../src/platform/database/database.js';
import { uuidV7 } from '../../../src/platform/clock/uuid-v7.js';
import type { EngagementEvent } from '../../../src/events/engagement-event.js';

/** The rows that a flush reads: one campaign, and emails to one or several contacts. */
export interface SentMail {
  readonly organizationId: string;
  readonly campaignId: string;
  readonly emails: readonly { readonly id: string; readonly trackingId: string; readonly contactIds: string[] }[];
}

let made = 0;

/** @param recipients the number of contacts of each email to be made */
export async function sendMail(database: Database, recipients: readonly number[]): Promise<SentMail> {
  const now = Date.now();
  const organizationId = uuidV7(now);
  const campaignId = uuidV7(now);
  await database.query(`insert into organizations (id, name, plan) values ($1, 'Example', 'free')`, [organizationId]);
  await database.query(`insert into campaigns (id, organization_id, name) values ($1, $2, 'Spring')`, [
    campaignId,
    organizationId,
  ]);
  const emails = [];
  for (const contacts of recipients) {
    const contactIds = [];
    for (let index = 0; index < contacts; index++) {
      const [contact] = await database.query<{ id: string }>(
        `insert into contacts (organization_id, address_key, address, emails, first_seen_at, last_activity_at)
         values ($1, $2, $2, 1, to_timestamp(0), to_timestamp(0)) returning id`,
        [organizationId, `reader-${made++}@example.com`],
      );
      contactIds.push(contact!.id);
    }
    const email = { id: uuidV7(now), trackingId: `tracking-${made++}`, contactIds };
    await database.query(
      `insert into emails (id, tracking_id, organization_id, campaign_id, contact_ids, status, in_stats)
       values ($1, $2, $3, $4, $5::bigint[], 'sent', true)`,
      [email.id, email.trackingId, organizationId, campaignId, contactIds],
    );
    emails.push(email);
  }
  return { organizationId, campaignId, emails };
}

export function opened(emailTrackingId: string, time = Date.now()): EngagementEvent {
  return { type: 'opened', id: uuidV7(time), emailTrackingId };
}

export function clicked(emailTrackingId: string, linkPosition = 0, url = 'https://shop.example/'): EngagementEvent {
  return { type: 'clicked', id: uuidV7(Date.now()), emailTrackingId, linkPosition, url };
}

/** As many opens as clicks, of all emails in turn. */
export function engagementOf({ emails }: SentMail, pairs: number): EngagementEvent[] {
  return Array.from({ length: pairs }, (_, index) => {
    const { trackingId } = emails[index % emails.length]!;
    return [opened(trackingId), clicked(trackingId, index % 3, `https://shop.example/${index % 3}`)];
  }).flat();
}

/** @param clicks of the links by their positions */
export function summed(
  emailTrackingId: string,
  opens: number,
  clicks: readonly number[],
  time = Date.now(),
): EngagementEvent {
  const links = clicks.map((count, linkPosition) => ({ linkPosition, clicks: count }));
  return { type: 'summed', id: uuidV7(time), emailTrackingId, opens, clicks: links };
}

/** Every counter and the number of rows that it counts; they must always agree. */
export async function readCounters(database: Database) {
  const [counters] = await database.query<Record<string, number>>(`select
    (select count(*)::int from events) as rows,
    (select count(*)::int from events where ordinal = 1) as events,
    (select count(*)::int from events where ordinal = 1 and type = 'opened') as "openedEvents",
    (select count(*)::int from events where ordinal = 1 and type = 'clicked') as "clickedEvents",
    (select coalesce(sum(opens), 0)::int from emails) as "emailOpens",
    (select coalesce(sum(clicks), 0)::int from emails) as "emailClicks",
    (select coalesce(sum(clicks), 0)::int from email_link_clicks) as "emailLinkClicks",
    (select coalesce(sum(opens), 0)::int from campaign_totals) as "campaignOpens",
    (select coalesce(sum(clicks), 0)::int from campaign_totals) as "campaignClicks",
    (select coalesce(sum(clicks), 0)::int from campaign_links) as "campaignLinkClicks",
    (select coalesce(sum(opens), 0)::int from contacts) as "contactOpens",
    (select coalesce(sum(clicks), 0)::int from contacts) as "contactClicks",
    (select count(*)::int from event_dead_letters) as "deadLetters"`);
  return counters!;
}

/** The result of `readCounters` after `opens` and `clicks` on emails with `contacts` contacts each. */
export function countersAfter(opens: number, clicks: number, contacts = 1) {
  return {
    rows: (opens + clicks) * contacts,
    events: opens + clicks,
    openedEvents: opens,
    clickedEvents: clicks,
    emailOpens: opens,
    emailClicks: clicks,
    emailLinkClicks: clicks,
    campaignOpens: opens,
    campaignClicks: clicks,
    campaignLinkClicks: clicks,
    contactOpens: opens * contacts,
    contactClicks: clicks * contacts,
    deadLetters: 0,
  };
}
