import fc from 'fast-check';
import { readableAcceptance, readableReason } from '../../src/providers/failure-reason.js';

const text = fc.oneof(
  fc.string({ unit: 'binary', maxLength: 3_000 }),
  fc.array(fc.integer({ min: 0, max: 0xffff }), { maxLength: 1_000 }).map((codes) => String.fromCharCode(...codes)),
  fc.string({ unit: fc.constantFrom('😀', 'x', '\0', '\r\n'), minLength: 190, maxLength: 600 }),
);

it.each([
  [readableReason, 500],
  [readableAcceptance, 200],
] as const)('%o is one line of well-formed text without control characters, at most %i long', (readable, longest) => {
  fc.assert(
    fc.property(text, (any) => {
      const line = readable(any);
      expect(line.length).toBeLessThanOrEqual(longest);
      expect(Buffer.from(line).toString()).toBe(line);
      expect(line).not.toMatch(/\p{Cc}|\p{Cs}|\u2028|\u2029/u);
    }),
  );
});
