import { Injectable } from '@nestjs/common';
import { Database, type Sql } from '../platform/database/database.js';
import { OldEvents } from '../events/store/old-events.js';
import { isHit } from '../events/is-hit.sql.js';
import { verdictOf, type VerdictCode } from '../events/verdict.js';
import type { TimelineEvent } from './contact-views.js';

interface TimelineRow {
  /** Null for the time of sending. */
  id: string | null;
  type: TimelineEvent['type'];
  at: Date;
  email_id: string;
  subject: string;
  campaign: string | null;
  url: string | null;
  /** Null for the time of sending. */
  verdict: VerdictCode | null;
}

interface OldEmailRow {
  id: string;
  trackingId: string;
  createdAt: Date;
  subject: string;
  campaign: string | null;
}

const MAX_TIMELINE = 1000;
/** How many of a contact's emails from before the oldest event in Postgres are requested from the store. */
const MAX_OLD_EMAILS = 1000;

/**
 * True for an email `e` that was sent to contact `c`. An array keeps this a lookup; an anti join could read the table.
 */
const WAS_SENT = `e.sent_at is not null and 'refused' <> all(array(
  select r.state from recipient_deliveries r where r.email_id = e.id and lower(r.address) = c.address_key))`;

/**
 * Newest first; omits emails in which this contact was left out. Send times come from the rows of emails, so they are
 * visible as soon as the send returns.
 */
const NEWEST = `
    with sent as (
       (select e.sent_at, e.id
          from contact_emails m join contacts c on c.id = m.contact_id join emails e on e.id = m.email_id
         where m.contact_id = $1 and ${WAS_SENT}
         order by m.email_id desc limit $2)
       union
       -- Of more emails than these, scheduled and retried ones may be older and yet sent later.
       select e.sent_at, e.id
         from contacts c cross join lateral (
           select v.type, v.email_id from events v where v.contact_id = c.id order by v.occurred_at desc limit $2) v
         join emails e on e.id = v.email_id
        where c.id = $1 and c.emails > $2::integer and v.type = 'sent' and ${WAS_SENT}
     ), happened as (
       select 'sent' as type, sent_at as at, id as email_id, null as url, null::uuid as event_id, null::smallint as verdict from sent
       union all
       (select v.type, v.occurred_at, v.email_id, v.url, v.id, v.verdict from events v
         where v.contact_id = $1 and ${isHit('v.type')}
         order by v.occurred_at desc limit $2)
     ), newest as materialized (
       select * from happened order by at desc limit $2
     ), email_texts as (
       select e.id, c.subject, k.name as campaign
         from (select distinct email_id from newest) mentioned
         join emails e on e.id = mentioned.email_id
         join email_contents c on c.email_id = e.id
         left join campaigns k on k.id = e.campaign_id
     )
     select h.event_id as id, h.type, h.at, h.email_id, email_texts.subject, email_texts.campaign, coalesce(h.url, first.url) as url,
            h.verdict
       from newest h join email_texts on email_texts.id = h.email_id
       -- For several contacts of an email, only the first event row stores the URL.
       left join events first on h.type = 'clicked' and h.url is null
            and first.id = h.event_id and first.ordinal = 1 and first.occurred_at = h.at
      order by h.at desc`;

/** Opened or clicked emails of contact $1 from before $2, newest first. */
const OLD_EMAILS = `
select e.id, e.tracking_id as "trackingId", e.created_at as "createdAt", c.subject, k.name as campaign
  from contact_emails m join emails e on e.id = m.email_id join email_contents c on c.email_id = e.id
  left join campaigns k on k.id = e.campaign_id
 where m.contact_id = $1 and e.created_at < $2 and e.opens + e.clicks > 0
 order by m.email_id desc limit ${MAX_OLD_EMAILS}`;

/** What a contact received and did. */
@Injectable()
export class ContactTimelines {
  constructor(
    private readonly database: Database,
    private readonly oldEvents: OldEvents,
  ) {}

  /** Reads the events that Postgres has. */
  read(sql: Sql, contactId: string): Promise<TimelineRow[]> {
    return sql.query<TimelineRow>(NEWEST, [contactId, MAX_TIMELINE]);
  }

  /** Adds events that only the event store has. It holds no transaction while it waits for the store. */
  async complete(organizationId: string, contactId: string, rows: readonly TimelineRow[]): Promise<TimelineEvent[]> {
    const keptFrom = await this.oldEvents.keptFrom(this.database);
    if (keptFrom === undefined) return rows.map(toTimelineEvent);
    const emails = await this.database.inReadTurn(organizationId, () =>
      this.database.query<OldEmailRow>(OLD_EMAILS, [contactId, keptFrom]),
    );
    const texts = new Map(emails.map((email) => [email.trackingId, email]));
    const seen = new Set(rows.map(({ id }) => id));
    const hits = await this.oldEvents.of(emails, { order: 'newest', limit: MAX_TIMELINE });
    const old = hits
      .filter(({ id }) => !seen.has(id))
      .map(({ email, ...hit }): TimelineRow => {
        const { id: email_id, subject, campaign } = texts.get(email)!;
        return { ...hit, email_id, subject, campaign };
      });
    return [...rows, ...old]
      .sort((one, other) => other.at.getTime() - one.at.getTime())
      .slice(0, MAX_TIMELINE)
      .map(toTimelineEvent);
  }
}

function toTimelineEvent(row: TimelineRow): TimelineEvent {
  return {
    type: row.type,
    timestamp: row.at.toISOString(),
    emailId: row.email_id,
    subject: row.subject,
    ...(row.campaign !== null && { campaign: row.campaign }),
    ...(row.url !== null && { link: row.url }),
    ...(row.verdict !== null && verdictOf(row.verdict)),
  };
}
