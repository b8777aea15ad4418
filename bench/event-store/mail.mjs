import { randomBytes, randomInt } from 'node:crypto';
import { sentEventId } from '../../dist/events/sent-event.js';
import { uuidV7 } from '../../dist/platform/clock/uuid-v7.js';
import { storeCampaign } from '../framework/stored-campaign.mjs';

/** Events of an email beside its `sent` event. */
const OPENS = 0.6;
const CLICKS = 0.1;
const LINKS = 30;
const SPAN_MS = 48 * 3_600_000;
const BATCH = 10_000;

/** Emails of two days to a contact each, oldest first, with tracking IDs that compress as badly as real ones. */
export async function storeMail(database, count) {
  const { organizationId, campaignId } = await storeCampaign(database);
  const begin = Date.now() - SPAN_MS;
  const emails = Array.from({ length: count }, (_, index) => {
    const at = begin + Math.floor((index * SPAN_MS) / count);
    return { id: uuidV7(at), at, trackingId: randomBytes(18).toString('base64url') };
  });
  for (let from = 0; from < count; from += BATCH) {
    const batch = emails.slice(from, from + BATCH);
    await database.query(STORE, [
      ...[organizationId, campaignId, from],
      ...[batch.map(({ id }) => id), batch.map(({ trackingId }) => trackingId)],
      batch.map(({ at }) => new Date(at)),
    ]);
  }
  for (const table of ['emails', 'contacts']) await database.query(`vacuum analyze ${table}`);
  return emails;
}

const STORE = `
with contact as (
  insert into contacts (organization_id, address_key, address, emails, first_seen_at, last_activity_at)
  select $1, 'reader-' || place || '@test', 'reader-' || place || '@test', 1, now(), now()
  from generate_series($3::int + 1, $3::int + cardinality($4::uuid[])) place returning id, address_key
)
insert into emails (id, tracking_id, organization_id, campaign_id, contact_ids, status, in_stats, created_at, sent_at)
select email.id, email.tracking_id, $1, $2, array[contact.id], 'sent', true, email.at, email.at
from unnest($4::uuid[], $5::text[], $6::timestamptz[]) with ordinality email (id, tracking_id, at, place)
join contact on contact.address_key = 'reader-' || ($3::int + place) || '@test'`;

/** Events of emails in order of time: each is sent, six of ten are opened, one of ten is clicked. */
export function eventsOf(emails) {
  const events = emails.flatMap(({ id, at, trackingId: emailTrackingId }, index) => {
    const later = () => uuidV7(at + randomInt(60_000, 3_600_000));
    const link = randomInt(LINKS);
    const url = `https://www.harbour.test/stories/${link}?utm_source=news`;
    return [
      { at, type: 'sent', id: sentEventId(id, new Date(at)), emailTrackingId },
      ...(index % 10 < OPENS * 10 ? [{ at, type: 'opened', id: later(), emailTrackingId }] : []),
      ...(index % 10 < CLICKS * 10
        ? [{ at, type: 'clicked', id: later(), emailTrackingId, linkPosition: link, url }]
        : []),
    ];
  });
  return events.sort((one, other) => (one.id < other.id ? -1 : 1));
}
