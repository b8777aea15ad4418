/**
 * The same bytes, in pieces of a whole number of units: base64 of such a piece is complete. The last may be shorter.
 */
export async function* wholeUnits(pieces: AsyncIterable<Buffer>, unitBytes: number): AsyncGenerator<Buffer> {
  let left: Buffer = Buffer.alloc(0);
  for await (const piece of pieces) {
    const bytes = left.length === 0 ? piece : Buffer.concat([left, piece]);
    const whole = bytes.length - (bytes.length % unitBytes);
    left = bytes.subarray(whole);
    if (whole > 0) yield bytes.subarray(0, whole);
  }
  if (left.length > 0) yield left;
}
