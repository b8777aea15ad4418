import { randomUUID } from 'node:crypto';
import { EmailOwners } from '../../../src/links/blocking/email-owners.js';
import { organizationTagOf } from '../../../src/links/organization-tag.js';
import { monotonicClock } from '../../../src/platform/clock/clock.js';
import type { Sql } from '../../../src/platform/database/database.js';
import { keysWith } from '../keys.js';

const keys = keysWith(1);
const organization = randomUUID();
const tag = organizationTagOf(keys.find(1)!, organization);

/** Owners of which every email belongs to the organization. */
function owners(): EmailOwners {
  const prepared = (_name: string, _text: string, [ids]: [string[]]) =>
    Promise.resolve(ids.map(() => ({ organizationId: organization })));
  return new EmailOwners({ prepared } as unknown as Sql, monotonicClock);
}

it('learns the tag of an organization from one of its emails', async () => {
  const known = owners();
  expect(known.knows({ keyId: 1, tag })).toBe(false);
  expect(await known.find(keys, 'an-email', { keyId: 1, tag })).toBe(organization);
  expect(known.knows({ keyId: 1, tag })).toBe(true);
});

it('takes bits of an ID without a tag for no tag: another organization may have it', async () => {
  const known = owners();
  const chance = { keyId: 1, tag: tag + 1 };
  expect(await known.find(keys, 'an-email-of-before', chance)).toBe(organization);
  expect(known.knows(chance)).toBe(false);
  expect(await known.find(keys, 'an-email-of-a-key-that-is-gone', { keyId: 9, tag })).toBe(organization);
  expect(known.knows({ keyId: 9, tag })).toBe(false);
});
