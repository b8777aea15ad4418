import { randomBytes, randomUUID } from 'node:crypto';
import { listDeadLetters } from '../../../src/events/dead-letters/dead-letters.js';
import { flushEntries } from '../../support/flush-entries.js';
import { encodeEvent, packEntry } from '../../../src/events/stream/codec/event-codec.js';
import { blockLinks } from '../../../src/links/blocking/blocked-links.js';
import { blockLinksByTag } from '../../../src/links/blocking/block-links-by-tag.js';
import { generateEmailTrackingId } from '../../../src/links/email-tracking-id.js';
import { withOrganizationTag } from '../../../src/links/organization-tag.js';
import { addSigningKey, loadSigningKeys } from '../../../src/links/signing-key-store.js';
import { clicked, opened, sendMail } from '../../roles/flusher/sent-mail.js';
import { openTestDatabase, type OpenTestDatabase } from '../../support/test-database.js';

let opening: OpenTestDatabase;
beforeEach(async () => {
  opening = await openTestDatabase();
});
afterEach(() => opening.close());

async function trackingIdOf(organizationId: string): Promise<string> {
  const keys = await loadSigningKeys(opening.database);
  return generateEmailTrackingId(keys, withOrganizationTag(keys, organizationId, randomBytes(12)));
}

/** Flushes an open and a click of each email, as a spool that is replayed late does. */
async function flushHitsOf(...trackingIds: readonly string[]) {
  const events = trackingIds.flatMap((id) => [opened(id), clicked(id)]);
  const packed = packEntry(events.map(encodeEvent));
  const { stored, repeated, dropped, deadLetters } = await flushEntries(opening.database, [
    { id: '1-1', packed, raw: packed, deliveries: 1 },
  ]);
  expect(await listDeadLetters(opening.database, 10)).toHaveLength(deadLetters.length);
  return { stored, repeated, dropped, deadLetters: deadLetters.length };
}

it('late hits of deleted organizations are dropped, whichever key their emails have', async () => {
  const deleted = randomUUID();
  const before = await trackingIdOf(deleted);
  await addSigningKey(opening.database);
  await opening.database.query('update signing_keys set created_at = now() where created_at > now()');
  const after = await trackingIdOf(deleted);
  await blockLinksByTag(opening.database, deleted);
  expect(await flushHitsOf(before, after)).toEqual({ stored: 0, repeated: 0, dropped: 4, deadLetters: 0 });
});

it('so are hits of an organization whose emails are deleted, while the rest of it is not yet', async () => {
  const deleted = randomUUID();
  await blockLinks(opening.database, { kind: 'deleted', value: deleted });
  expect(await flushHitsOf(await trackingIdOf(deleted))).toEqual({
    ...{ stored: 0, repeated: 0, dropped: 2, deadLetters: 0 },
  });
});

it('hits of other emails that are gone stay dead letters, and known ones are stored', async () => {
  const { emails } = await sendMail(opening.database, [1]);
  const blocked = randomUUID();
  await blockLinks(opening.database, { kind: 'organization', value: blocked });
  await blockLinksByTag(opening.database, randomUUID());
  const gone = await trackingIdOf(randomUUID());
  expect(await flushHitsOf(emails[0]!.trackingId, gone, await trackingIdOf(blocked), 'an-imported-id')).toEqual({
    ...{ stored: 2, repeated: 0, dropped: 0, deadLetters: 6 },
  });
});
