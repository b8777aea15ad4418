/** The first lines of a message whose parts are nested so deeply. */
export function nestedParts(depth: number): string[] {
  const boundaries = Array.from({ length: depth }, (_, at) => `b${at}`);
  return boundaries.flatMap((boundary) => [`Content-Type: multipart/mixed; boundary=${boundary}`, '', `--${boundary}`]);
}
