import { randomBytes } from 'node:crypto';
import { TRACKING_ID_RANDOM_BYTES } from '../../links/email-tracking-id.js';
import { generateTrackingIdOf } from '../../links/organization-tag.js';
import type { SigningKeys } from '../../links/signing-keys.js';

/** Generates the random bytes in bulk, which costs a fraction of one call per ID. */
export function generateTrackingIds(keys: SigningKeys, organizationId: string, count: number): string[] {
  const random = randomBytes(count * TRACKING_ID_RANDOM_BYTES);
  return Array.from({ length: count }, (_, index) => {
    const start = index * TRACKING_ID_RANDOM_BYTES;
    return generateTrackingIdOf(keys, organizationId, random.subarray(start, start + TRACKING_ID_RANDOM_BYTES));
  });
}
