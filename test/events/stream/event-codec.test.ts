import fc from 'fast-check';
import {
  RECIPIENT_FACTS,
  recipientEventId,
  SUPPRESSION_REASONS,
  type RecipientEvent,
} from '../../../src/events/recipient-event.js';
import type { StreamEvent } from '../../../src/events/stream/stream-event.js';
import { MACHINE_CLASSES } from '../../../src/events/verdict.js';
import { decodeEntry, encodeEvent, packEntry } from '../../../src/events/stream/codec/event-codec.js';

const id = fc.uuid({ version: 7 });
const emailTrackingId = fc.stringMatching(/^[A-Za-z0-9_-]{1,40}$/);
const text = (maxLength: number) =>
  fc.string({ unit: 'binary', minLength: 1, maxLength }).map((characters) => characters.toWellFormed());
const recipientEvent = fc.record(
  {
    type: fc.constant('recipient'),
    id: fc.tuple(fc.nat(2 ** 40), fc.string()).map(([time, report]) => recipientEventId(time, report)),
    email: fc.oneof(fc.uuid(), emailTrackingId),
    recipient: fc.oneof(fc.nat(65_535), text(300)),
    fact: fc.constantFrom(...RECIPIENT_FACTS),
    bounce: fc.constantFrom('hard', 'soft'),
    suppression: fc.constantFrom(...SUPPRESSION_REASONS),
    smtpStatus: fc.stringMatching(/^[245]\.\d{1,3}\.\d{1,3}$/),
    reason: text(200),
  },
  { requiredKeys: ['type', 'id', 'email', 'recipient', 'fact'] },
) as fc.Arbitrary<RecipientEvent>;
const verdict = fc.integer({ min: 1, max: 255 });
const linkPosition = fc.integer({ min: 0, max: 65_535 });
const count = fc.integer({ min: 0, max: 0xffff_ffff });
const event: fc.Arbitrary<StreamEvent> = fc.oneof(
  recipientEvent,
  fc.record({ type: fc.constant('sent'), id, emailTrackingId }),
  fc.record(
    { type: fc.constant('opened'), id, emailTrackingId, verdict },
    { requiredKeys: ['type', 'id', 'emailTrackingId'] },
  ),
  fc.record(
    {
      type: fc.constant('clicked'),
      id,
      emailTrackingId,
      linkPosition,
      url: fc.string({ unit: 'binary', maxLength: 2_000 }).map((text) => `https://${text.toWellFormed()}`),
      verdict,
    },
    { requiredKeys: ['type', 'id', 'emailTrackingId', 'linkPosition', 'url'] },
  ),
  fc.record(
    {
      type: fc.constant('summed'),
      id,
      emailTrackingId,
      opens: count,
      clicks: fc.array(fc.record({ linkPosition, clicks: count }), { maxLength: 20 }),
      machines: fc.array(
        fc.record(
          { class: fc.constantFrom(...MACHINE_CLASSES), linkPosition, hits: count },
          { requiredKeys: ['class', 'hits'] },
        ),
        { minLength: 1, maxLength: 20 },
      ),
    },
    { requiredKeys: ['type', 'id', 'emailTrackingId', 'opens', 'clicks'] },
  ),
) as fc.Arbitrary<StreamEvent>;
const opened = {
  type: 'opened' as const,
  id: '019a0000-0000-7000-8000-000000000001',
  emailTrackingId: 'abc',
};
const bounced: RecipientEvent = { type: 'recipient', id: opened.id, email: 'abc', recipient: 0, fact: 'bounced' };

describe('the event codec', () => {
  it('reads back what it wrote, for any number of events in an entry', () => {
    fc.assert(
      fc.property(fc.array(event, { maxLength: 50 }), (events) => {
        expect(decodeEntry(packEntry(events.map(encodeEvent)))).toEqual({ events, undecodable: [] });
      }),
    );
  });

  it('writes an event without a sign of a machine as before, so that older builds can read it', () => {
    const clicked: StreamEvent = { ...opened, type: 'clicked', linkPosition: 0, url: 'https://a.example/' };
    const summed: StreamEvent = { ...opened, type: 'summed', opens: 1, clicks: [] };
    const typeOf = (one: StreamEvent) => encodeEvent(one)[4];
    expect([opened, { ...opened, verdict: 0 }].map(typeOf)).toEqual([2, 2]);
    expect([clicked, { ...clicked, verdict: 0 }].map(typeOf)).toEqual([3, 3]);
    expect([summed, { ...summed, machines: [] }].map(typeOf)).toEqual([4, 4]);
    expect(decodeEntry(packEntry([encodeEvent({ ...opened, verdict: 0 })])).events).toEqual([opened]);
  });

  it('cuts a long reason between characters', () => {
    fc.assert(
      fc.property(
        recipientEvent,
        fc.string({ unit: 'grapheme', minLength: 300, maxLength: 2_000 }),
        (report, reason) => {
          const [read] = decodeEntry(packEntry([encodeEvent({ ...report, reason })])).events;
          const stored = (read as RecipientEvent).reason!;
          expect(reason.startsWith(stored)).toBe(true);
          expect(stored.isWellFormed()).toBe(true);
          const bytes = Buffer.byteLength(stored);
          expect(bytes).toBeLessThanOrEqual(1_000);
          expect(bytes === Buffer.byteLength(reason) || bytes > 1_000 - 4).toBe(true);
        },
      ),
    );
  });

  it('does not write a status that is not an enhanced status code', () => {
    const [report] = fc.sample(recipientEvent, 1);
    const [read] = decodeEntry(packEntry([encodeEvent({ ...report!, smtpStatus: '550 no such user' })])).events;
    expect(read).not.toHaveProperty('smtpStatus');
  });

  it('never throws, for any bytes', () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 300 }), fc.boolean(), (bytes, versioned) => {
        const entry = Buffer.from(versioned ? [1, ...bytes] : bytes);
        expect(() => decodeEntry(entry)).not.toThrow();
      }),
      { numRuns: 2_000 },
    );
  });

  it('accounts for every byte: damaged entries yield events and undecodable pieces, and nothing is lost', () => {
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
    const newerFact = encodeEvent(bounced);
    newerFact[22 + bounced.email.length] = 200;
    const newerClass = encodeEvent({
      ...opened,
      type: 'summed',
      opens: 1,
      clicks: [],
      machines: [{ class: 'bot', hits: 1 }],
    });
    newerClass[newerClass.length - 8] = 200;
    const { events, undecodable } = decodeEntry(
      packEntry([encodeEvent(opened), newer, newerFact, newerClass, encodeEvent(opened)]),
    );
    expect(events).toEqual([opened, opened]);
    expect(undecodable).toEqual(
      [newer, newerFact, newerClass].map((record) => ({ reason: 'unknown-type', bytes: packEntry([record]) })),
    );
  });

  it.each([
    ['an empty entry', Buffer.alloc(0), 'unknown-version'],
    ['an entry of a newer version', Buffer.from([2, 1, 2, 3]), 'unknown-version'],
    ['a record cut short', packEntry([encodeEvent(opened).subarray(0, 12)]), 'malformed'],
    ['a recipient cut short', packEntry([shorter(encodeEvent(bounced))]), 'malformed'],
    ['an open of a machine cut short', packEntry([shorter(encodeEvent({ ...opened, verdict: 7 }))]), 'malformed'],
    ['bytes after the last field', packEntry([longer(encodeEvent(opened))]), 'malformed'],
    [
      'an id without a time in it',
      packEntry([encodeEvent({ ...opened, id: '019a0000-0000-4000-8000-000000000001' })]),
      'malformed',
    ],
  ])('reports %s with a reason and returns its bytes', (_what, entry, reason) => {
    expect(decodeEntry(entry)).toEqual({ events: [], undecodable: [{ bytes: entry, reason }] });
  });

  it('refuses to write values that the format cannot represent', () => {
    expect(() => encodeEvent({ ...opened, emailTrackingId: 'x'.repeat(256) })).toThrow('out of range');
    expect(() => encodeEvent({ ...opened, verdict: 256 })).toThrow('out of range');
    expect(() => encodeEvent({ ...bounced, recipient: 65_536 })).toThrow('out of range');
    expect(() => encodeEvent({ ...bounced, email: 'ąbc' })).toThrow('must be an ID');
    expect(() => encodeEvent({ ...opened, id: 'not-a-uuid' })).toThrow('not a UUID');
  });
});

function longer(record: Buffer): Buffer {
  const grown = Buffer.concat([record, Buffer.from('x')]);
  grown.writeUInt32BE(grown.length - 4, 0);
  return grown;
}

function shorter(record: Buffer): Buffer {
  const cut = Buffer.from(record.subarray(0, -1));
  cut.writeUInt32BE(cut.length - 4, 0);
  return cut;
}
