/** A task whose text becomes longer than the engine allows. */
export function growTooLong() {
  return 'x'.repeat(2 ** 30);
}
