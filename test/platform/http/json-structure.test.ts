import fc from 'fast-check';
import { countJsonValues } from '../../../src/platform/http/json-structure.js';

const count = (json: string, enough = 1_000) => countJsonValues(Buffer.from(json), enough);

describe('counting the values of a JSON text', () => {
  it.each([
    ['{}', 1],
    ['{"a":[1,2,3]}', 4],
    ['[[],{},[{}]]', 7],
    ['"{[,"', 0],
    ['["\\"{[,", "\\\\", ","]', 3],
    ['["unterminated {[,', 1],
    ['["unterminated \\', 1],
  ])('%s has %d', (json, expected) => expect(count(json)).toBe(expected));

  it('finds the end of every string, near or far', () => {
    const parts = fc.constantFrom('"', '\\', ',', '[', 'x', 'x'.repeat(60), 'x'.repeat(200), '\\'.repeat(63));
    const outside = (json: string) => json.replace(/"(?:[^"\\]|\\[^]?)*(?:"|$)/g, '').replace(/[^{[,]/g, '');
    const texts = fc.array(parts, { maxLength: 40 }).map((all) => all.join(''));
    fc.assert(
      fc.property(texts, (json) => count(json) === outside(json).length),
      { numRuns: 2_000 },
    );
  });

  it('stops where it has seen enough', () => expect(count('[,,,,,,', 3)).toBe(3));

  it('never sees fewer than the objects, arrays and elements there are', () => {
    fc.assert(fc.property(fc.jsonValue(), (value) => count(JSON.stringify(value), Infinity) >= valuesIn(value)));
  });
});

/** Objects and arrays, and what they have beyond their first entries. */
function valuesIn(value: unknown): number {
  if (typeof value !== 'object' || value === null) return 0;
  const entries = Object.values(value);
  return 1 + Math.max(0, entries.length - 1) + entries.reduce<number>((sum, entry) => sum + valuesIn(entry), 0);
}
