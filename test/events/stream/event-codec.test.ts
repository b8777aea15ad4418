import fc from 'fast-check';
import type { EngagementEvent } from '../../../src/events/engagement-event.js';
import { decodeEntry, encodeEvent, packEntry } from '../../../src/events/stream/event-codec.js';

const id = fc.uuid({ version: 7 });
const emailTrackingId = fc.stringMatching(/^[A-Za-z0-9_-]{1,40}$/);
const event: fc.Arbitrary<EngagementEvent> = fc.oneof(
  fc.record({ type: fc.constantFrom('sent', 'opened'), id, emailTrackingId }),
  fc.record({
    type: fc.constant('clicked'),
    id,
    emailTrackingId,
    linkPosition: fc.integer({ min: 0, max: 65_535 }),
    url: fc.string({ unit: 'binary', maxLength: 2_000 }).map((text) => `https://${text.toWellFormed()}`),
  }),
  fc.record({
    type: fc.constant('summed'),
    id,
    emailTrackingId,
    opens: fc.integer({ min: 0, max: 0xffff_ffff }),
    clicks: fc.array(
      fc.record({
        linkPosition: fc.integer({ min: 0, max: 65_535 }),
        clicks: fc.integer({ min: 0, max: 0xffff_ffff }),
      }),
      { maxLength: 20 },
    ),
  }),
) as fc.Arbitrary<EngagementEvent>;
const opened: EngagementEvent = {
  type: 'opened',
  id: '019a0000-0000-7000-8000-000000000001',
  emailTrackingId: 'abc',
};

describe('the event codec', () => {
  it('reads back what it wrote, however many events share an entry', () => {
    fc.assert(
      fc.property(fc.array(event, { maxLength: 50 }), (events) => {
        expect(decodeEntry(packEntry(events.map(encodeEvent)))).toEqual({ events, undecodable: [] });
      }),
    );
  });

  it('never throws, whatever the bytes', () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 300 }), fc.boolean(), (bytes, versioned) => {
        const entry = Buffer.from(versioned ? [1, ...bytes] : bytes);
        expect(() => decodeEntry(entry)).not.toThrow();
      }),
      { numRuns: 2_000 },
    );
  });

  it('accounts for every byte: damaged entries yield events and undecodable pieces, nothing vanishes', () => {
    fc.assert(
      fc.property(
        fc.array(event, { minLength: 1, maxLength: 10 }),
        fc.nat(),
        fc.integer({ min: 1, max: 255 }),
        (events, at, flip) => {
          const entry = packEntry(events.map(encodeEvent));
          const position = at % entry.length;
          entry[position]! ^= flip;
          const { events: read, undecodable } = decodeEntry(entry);
          const bytes = [
            ...read.map((one) => encodeEvent(one).length),
            ...undecodable.map((piece) => piece.bytes.length - 1),
          ];
          expect(position === 0 ? undecodable[0]!.bytes.length - 1 : bytes.reduce((sum, size) => sum + size, 0)).toBe(
            entry.length - 1,
          );
        },
      ),
    );
  });

  it('keeps the rest of an entry when one record is of a type from a newer build', () => {
    const newer = encodeEvent(opened);
    newer[4] = 200;
    const { events, undecodable } = decodeEntry(packEntry([encodeEvent(opened), newer, encodeEvent(opened)]));
    expect(events).toEqual([opened, opened]);
    expect(undecodable).toEqual([{ reason: 'unknown-type', bytes: packEntry([newer]) }]);
  });

  it.each([
    ['an empty entry', Buffer.alloc(0), 'unknown-version'],
    ['an entry of a newer version', Buffer.from([2, 1, 2, 3]), 'unknown-version'],
    ['a record cut short', packEntry([encodeEvent(opened).subarray(0, 12)]), 'malformed'],
    ['bytes after the last field', packEntry([longer(encodeEvent(opened))]), 'malformed'],
    [
      'an id without a time in it',
      packEntry([encodeEvent({ ...opened, id: '019a0000-0000-4000-8000-000000000001' })]),
      'malformed',
    ],
  ])('names %s with a reason and hands back its bytes', (_what, entry, reason) => {
    expect(decodeEntry(entry)).toEqual({ events: [], undecodable: [{ bytes: entry, reason }] });
  });

  it('refuses to write what the format cannot carry', () => {
    expect(() => encodeEvent({ ...opened, emailTrackingId: 'x'.repeat(256) })).toThrow('out of range');
    expect(() => encodeEvent({ ...opened, id: 'not-a-uuid' })).toThrow('not a UUID');
  });
});

function longer(record: Buffer): Buffer {
  const grown = Buffer.concat([record, Buffer.from('x')]);
  grown.writeUInt32BE(grown.length - 4, 0);
  return grown;
}
