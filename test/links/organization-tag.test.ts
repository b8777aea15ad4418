import { randomUUID } from 'node:crypto';
import fc from 'fast-check';
import { isEmailTrackingId, generateEmailTrackingId } from '../../src/links/email-tracking-id.js';
import { carriedTagOf, organizationTagOf, withOrganizationTag } from '../../src/links/organization-tag.js';
import { keysWith } from './keys.js';

const random12 = fc.uint8Array({ minLength: 12, maxLength: 12 });
const idOf = (keys: ReturnType<typeof keysWith>, organizationId: string, random: Uint8Array): string =>
  generateEmailTrackingId(keys, withOrganizationTag(keys, organizationId, random));

describe('the tag of an organization in email tracking IDs', () => {
  it('is read from every ID that carries it, also after a rotation', () => {
    fc.assert(
      fc.property(fc.uuid(), random12, fc.nat(254), (organizationId, random, id) => {
        const keys = keysWith(id);
        const emailTrackingId = idOf(keys, organizationId, random);
        expect(isEmailTrackingId(keys, emailTrackingId)).toBe(true);
        const tag = organizationTagOf(keys.newest, organizationId);
        expect(carriedTagOf(keys, emailTrackingId)).toEqual({ keyId: id, tag });
        expect(carriedTagOf(keysWith(id, 255), emailTrackingId)).toEqual({ keyId: id, tag });
        expect(carriedTagOf(keysWith(255), emailTrackingId)).toBeUndefined();
      }),
    );
  });

  it('keeps 64 random bits and shows nothing that IDs of an organization have in common', () => {
    const keys = keysWith(3);
    const organizationId = randomUUID();
    fc.assert(
      fc.property(random12, (random) => {
        const tagged = withOrganizationTag(keys, organizationId, random);
        expect(tagged.subarray(0, 8)).toEqual(Buffer.from(random.subarray(0, 8)));
      }),
    );
    const ends = Array.from({ length: 2_000 }, (_, index) =>
      Buffer.from(
        withOrganizationTag(keys, organizationId, Buffer.from(String(index).padEnd(12))).subarray(8),
      ).toString('hex'),
    );
    expect(new Set(ends).size).toBe(ends.length);
  });

  it('differs by organization and by key', () => {
    const [one, other] = [randomUUID(), randomUUID()];
    expect(organizationTagOf(keysWith(1).newest, one)).not.toBe(organizationTagOf(keysWith(1).newest, other));
    expect(organizationTagOf(keysWith(1).newest, one)).not.toBe(organizationTagOf(keysWith(2).newest, one));
  });
});
