import fc from 'fast-check';
import { derivedUuidV7, isUuid, timeOfUuidV7, uuidV7 } from '../../../src/platform/clock/uuid-v7.js';

/** The last millisecond that fits 48 bits. */
const LAST_MS = 2 ** 48 - 1;
const times = fc.integer({ min: 0, max: LAST_MS });

/** Version 7 and variant 10xx (RFC 9562, 4.1 and 4.2). */
const UUID_V7 = /^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/;

describe('a UUIDv7', () => {
  it('holds its time, version and variant, random or derived', () => {
    fc.assert(
      fc.property(times, fc.string(), (time, origin) => {
        for (const id of [uuidV7(time), derivedUuidV7(time, origin)]) {
          expect(id).toMatch(UUID_V7);
          expect(isUuid(id)).toBe(true);
          expect(timeOfUuidV7(id)).toBe(time);
        }
      }),
    );
  });

  it('sorts among the IDs of its millisecond as it was made', () => {
    fc.assert(
      fc.property(times, fc.integer({ min: 1, max: 2_048 }), (time, length) => {
        uuidV7(time === 0 ? 1 : 0); // the count of `time` starts anew
        const ids = Array.from({ length }, () => uuidV7(time));
        expect(ids.toSorted()).toEqual(ids);
      }),
    );
  });

  it('stays unique when a millisecond has more IDs than it counts', () => {
    const ids = Array.from({ length: 10_000 }, () => uuidV7(LAST_MS));
    expect(new Set(ids).size).toBe(ids.length);
  });

  it('derives the same ID from the same origin only', () => {
    fc.assert(
      fc.property(times, fc.string(), fc.string(), (time, one, other) => {
        expect(derivedUuidV7(time, one) === derivedUuidV7(time, other)).toBe(one === other);
      }),
    );
  });

  it('keeps the derived IDs of stored events, so that a repeat after an upgrade is still known', () => {
    expect(derivedUuidV7(1_792_000_000_000, 'sent:0190f3a4-7c1e-7a52-9c63-5d2a8a1b4e77')).toBe(
      '01a13b86-0000-7ac7-94bd-17d205519766',
    );
  });
});
