import type { EventType } from '../events/engagement-event.js';
import type { Verdict } from '../events/verdict.js';

export const CONTACT_STATUSES = ['active', 'unsubscribed', 'bounced', 'complained'] as const;

export type ContactStatus = (typeof CONTACT_STATUSES)[number];

/** Opens and clicks by people. */
export interface ContactPeople {
  readonly opens: number;
  readonly clicks: number;
  /** 0 to 100, of these opens and clicks. */
  readonly engagementScore: number;
}

export interface ContactView {
  readonly email: string;
  readonly totalEmails: number;
  readonly totalOpens: number;
  readonly totalClicks: number;
  /** The strongest reason why marketing or all mail to the contact is suppressed; manual entries do not count. */
  readonly status: ContactStatus;
  /** Emails that bounced, hard or soft. */
  readonly bounces: number;
  readonly complaints: number;
  readonly campaigns: string[];
  /** 0 to 100, of all opens and clicks. */
  readonly engagementScore: number;
  readonly people: ContactPeople;
  readonly lastActivity: string;
}

export interface ContactDetail extends ContactView {
  readonly firstSeen: string;
  /** Events per email, two decimals. */
  readonly openRate: number;
  readonly clickRate: number;
  readonly timeline: TimelineEvent[];
}

/** Opens and clicks have a verdict. */
export interface TimelineEvent extends Partial<Verdict> {
  readonly type: EventType;
  readonly timestamp: string;
  readonly emailId: string;
  readonly subject: string;
  readonly campaign?: string;
  readonly link?: string;
}

export interface ContactRow {
  id: string;
  address: string;
  emails: string;
  opens: string;
  clicks: string;
  machine_opens: string;
  machine_clicks: string;
  first_seen_at: Date;
  last_activity_at: Date;
  status: ContactStatus;
  bounces: string;
  complaints: string;
  campaigns: string[];
  /** Number of contacts found, before the page is cut to its maximum size. */
  found: number;
}

export function toContactView(row: ContactRow): ContactView {
  const [totalEmails, totalOpens, totalClicks] = [Number(row.emails), Number(row.opens), Number(row.clicks)];
  const [opens, clicks] = [totalOpens - Number(row.machine_opens), totalClicks - Number(row.machine_clicks)];
  return {
    email: row.address,
    totalEmails,
    totalOpens,
    totalClicks,
    status: row.status,
    bounces: Number(row.bounces),
    complaints: Number(row.complaints),
    campaigns: row.campaigns,
    engagementScore: engagementScore(totalEmails, totalOpens, totalClicks),
    people: { opens, clicks, engagementScore: engagementScore(totalEmails, opens, clicks) },
    lastActivity: row.last_activity_at.toISOString(),
  };
}

export function toContactDetail(row: ContactRow, timeline: TimelineEvent[]): ContactDetail {
  const view = toContactView(row);
  return {
    ...view,
    firstSeen: row.first_seen_at.toISOString(),
    openRate: ratio(view.totalOpens, view.totalEmails),
    clickRate: ratio(view.totalClicks, view.totalEmails),
    timeline,
  };
}

/** Opens weigh 60 and clicks 40: 18 opens and 7 clicks of 24 emails give 57. */
export function engagementScore(emails: number, opens: number, clicks: number): number {
  if (emails <= 0) return 0;
  // Divides last, so that exact halves round correctly. A sum of fractions would have rounding errors.
  return Math.min(100, Math.round((opens * 60 + clicks * 40) / emails));
}

function ratio(events: number, emails: number): number {
  return emails <= 0 ? 0 : Math.round((events * 100) / emails) / 100;
}
