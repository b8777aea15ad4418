import { createHash } from 'node:crypto';
import fc from 'fast-check';
import { RelaxedBodyHash } from '../../../src/providers/smtp/relaxed-body-hash.js';

/** RFC 6376, 3.4.4, applied to the whole body. */
function plainHash(body: string): string {
  const lines = body.replace(/[ \t]+/g, ' ').replace(/ (?=\r\n|$)/g, '');
  const content = lines.replace(/(\r\n)+$/, '');
  return createHash('sha256')
    .update(content === '' ? '' : `${content}\r\n`, 'latin1')
    .digest('base64');
}

it('is the hash of the relaxed body, for any split into pieces', () => {
  const piece = fc
    .array(fc.constantFrom('\r\n', '\r', '\n', ' ', '\t', '  ', 'a', 'é', '\r\n\r\n', ' \r\n'), { maxLength: 6 })
    .map((parts) => parts.join(''));
  fc.assert(
    fc.property(fc.array(piece, { maxLength: 8 }), (pieces) => {
      const hash = new RelaxedBodyHash();
      for (const text of pieces) hash.update(text);
      expect(hash.digest()).toBe(plainHash(pieces.join('')));
    }),
    { numRuns: 5_000 },
  );
});
