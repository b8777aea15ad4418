import { randomBytes } from 'node:crypto';
import { uuidV7 } from '../../dist/platform/clock/uuid-v7.js';
import { storeCampaign } from '../framework/stored-campaign.mjs';

const EMAILS = 20_000;

/** Sent emails of one campaign to one contact each, with tracking IDs that the edge accepts. */
export async function storeMailToReportOn(database, generateTrackingId) {
  const now = Date.now();
  const { organizationId, campaignId } = await storeCampaign(database);
  const emails = Array.from({ length: EMAILS }, (_, index) => ({
    id: uuidV7(now),
    trackingId: generateTrackingId(randomBytes(12)),
    address: `reader-${index}@example.test`,
  }));
  await database.query(
    `with contact as (
       insert into contacts (organization_id, address_key, address, emails, first_seen_at, last_activity_at)
       select $1, a, a, 1, now(), now() from unnest($5::text[]) a returning id, address_key
     ), email as (
       insert into emails (id, tracking_id, organization_id, campaign_id, contact_ids, status, in_stats)
       select e.id, e.tracking_id, $1, $2, array[contact.id], 'sent', true
         from unnest($3::uuid[], $4::text[], $5::text[]) e (id, tracking_id, address)
         join contact on contact.address_key = e.address
     )
     insert into email_contents (email_id, sender, to_addresses, cc_addresses, bcc_addresses, subject, html)
     select e.id, 'news@shop.test', array[e.address], '{}', '{}', 'News', '<p>News</p>'
       from unnest($3::uuid[], $5::text[]) e (id, address)`,
    [
      organizationId,
      campaignId,
      emails.map(({ id }) => id),
      emails.map(({ trackingId }) => trackingId),
      emails.map(({ address }) => address),
    ],
  );
  await database.query('analyze');
  return emails;
}
