import { uuidV7 } from '../../dist/platform/clock/uuid-v7.js';
import { storeCampaign } from '../framework/stored-campaign.mjs';

const EMAILS = 2_000;
export const URLS = Array.from(
  { length: 30 },
  (_, index) => `https://www.harbour.test/stories/${index}?utm_source=news`,
);

/** Stores one campaign of sent emails to one contact each. */
export async function storeSentMail(database) {
  const { organizationId, campaignId } = await storeCampaign(database);
  const emails = Array.from({ length: EMAILS }, (_, index) => ({
    id: uuidV7(Date.now()),
    trackingId: `bench-tracking-${String(index).padStart(9, '0')}`,
  }));
  await database.query(
    `with contact as (
       insert into contacts (organization_id, address_key, address, emails, first_seen_at, last_activity_at)
       select $1, 'reader-' || place || '@test', 'reader-' || place || '@test', 1, now(), now()
       from generate_series(1, $3::int) place returning id, address_key
     )
     insert into emails (id, tracking_id, organization_id, campaign_id, contact_ids, status, in_stats)
     select email.id, email.tracking_id, $1, $2, array[contact.id], 'sent', true
     from unnest($4::uuid[], $5::text[]) with ordinality email (id, tracking_id, place)
     join contact on contact.address_key = 'reader-' || place || '@test'`,
    [organizationId, campaignId, EMAILS, emails.map(({ id }) => id), emails.map(({ trackingId }) => trackingId)],
  );
  const rows = await database.query(
    'select id, tracking_id as "trackingId", contact_ids[1] as "contactId" from emails where campaign_id = $1',
    [campaignId],
  );
  return { campaignId, emails: rows };
}

const MINUTE_MS = 60_000;
let time = Date.now();

/**
 * Opens and clicks, half each, of any of the emails. Hits of one email are a minute apart, like those of people: closer
 * ones would all be classified as those of scanners.
 */
export function engagement({ emails }, count) {
  return Array.from({ length: count }, (_, index) => {
    if (index % emails.length === 0) time += MINUTE_MS;
    const email = emails[(index * 7919) % emails.length];
    const event = { id: uuidV7(time), emailTrackingId: email.trackingId, email };
    if (index % 2 === 0) return { type: 'opened', ...event };
    const linkPosition = index % URLS.length;
    return { type: 'clicked', ...event, linkPosition, url: URLS[linkPosition] };
  });
}
