import { Injectable } from '@nestjs/common';
import { Database } from '../database/database.js';
import { CampaignArchivedError } from '../campaigns/campaign-errors.js';
import { addressKey, formatMailbox, type ParsedMailbox } from './mailbox.js';
import type { Recipients } from './addresses.js';

/** An email that passed every check, ready to be stored. */
export interface NewEmail {
  readonly id: string;
  readonly trackingId: string;
  readonly organizationId: string;
  readonly campaignId: string | null;
  /** `queued` for mail that we deliver, `tracked` for mail that somebody else delivers. */
  readonly status: 'queued' | 'tracked';
  readonly from: string;
  readonly replyTo: string | null;
  readonly recipients: Recipients;
  readonly subject: string;
  /** What is rendered: HTML, MJML already compiled. */
  readonly html: string;
  readonly metadata: Record<string, unknown> | null;
  /** Tracked destinations, once they are known. */
  readonly urls: readonly string[] | null;
  readonly createdAt: Date;
}

/** Spreads the counts of one campaign over this many rows; the flusher has a row of its own. */
const TOTAL_SHARDS = 16;

/**
 * Stores the email, its content, its contacts and its counts in one statement: all of it or nothing.
 * The campaign row is share-locked and judged again after any wait, so that an archive which commits first wins.
 * Contacts are locked in the order of their keys, as everywhere, so that two emails cannot block each other.
 */
const ACCEPT = `
with campaign as (
  select id from campaigns where id = $4::uuid and organization_id = $3::uuid and archived_at is null for key share
), admitted as (
  select 1 where $4::uuid is null or exists (select from campaign)
), contact as (
  insert into contacts (organization_id, address_key, address, emails, first_seen_at, last_activity_at)
  select $3::uuid, t.key, t.address, 1, $5::timestamptz, $5::timestamptz
    from unnest($6::text[], $7::text[]) as t (key, address), admitted
   order by t.key
  on conflict (organization_id, address_key) do update
     set emails = contacts.emails + 1,
         last_activity_at = greatest(contacts.last_activity_at, excluded.last_activity_at)
  returning id, address_key
), email as (
  insert into emails (id, tracking_id, organization_id, campaign_id, contact_ids, status, next_attempt_at, created_at, sent_at)
  select $1::uuid, $2::text, $3::uuid, $4::uuid,
         (select array_agg(contact.id order by t.place)
            from unnest($6::text[]) with ordinality as t (key, place) join contact on contact.address_key = t.key),
         $8::text, case when $8 = 'queued' then now() end, $5, case when $8 = 'tracked' then $5 end
    from admitted
  returning id
), content as (
  insert into email_contents (email_id, sender, reply_to, to_addresses, cc_addresses, bcc_addresses, subject, html, metadata)
  select id, $9, $10, $11::text[], $12::text[], $13::text[], $14, $15, $16::jsonb from email
), links as (
  insert into email_links (email_id, urls) select id, $17::text[] from email where $17::text[] is not null
), contact_email as (
  insert into contact_emails (contact_id, email_id) select contact.id, email.id from contact, email
), contact_campaign as (
  insert into contact_campaigns (contact_id, campaign_id) select contact.id, campaign.id from contact, campaign
  on conflict do nothing
), total as (
  insert into campaign_totals (campaign_id, shard, emails) select id, $18::smallint, 1 from campaign
  on conflict (campaign_id, shard) do update set emails = campaign_totals.emails + 1
)
select id from email`;

/** The way into the queue of record. */
@Injectable()
export class AcceptedEmails {
  constructor(private readonly database: Database) {}

  /** @throws CampaignArchivedError when the campaign was archived meanwhile; nothing is stored then */
  async accept(email: NewEmail): Promise<void> {
    const { to, cc, bcc } = email.recipients;
    const stored = await this.database.prepared('accept-email', ACCEPT, [
      email.id,
      email.trackingId,
      email.organizationId,
      email.campaignId,
      email.createdAt,
      to.map(({ address }) => addressKey(address)),
      to.map(({ address }) => address),
      email.status,
      email.from,
      email.replyTo,
      format(to),
      format(cc),
      format(bcc),
      email.subject,
      email.html,
      email.metadata === null ? null : JSON.stringify(email.metadata),
      email.urls,
      Math.floor(Math.random() * TOTAL_SHARDS),
    ]);
    if (stored.length === 0) throw new CampaignArchivedError();
  }
}

function format(mailboxes: readonly ParsedMailbox[]): string[] {
  return mailboxes.map(formatMailbox);
}
