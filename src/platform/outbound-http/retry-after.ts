/**
 * Parses a Retry-After header (RFC 9110, 10.2.3): whole seconds, or a date like `Sun, 06 Nov 1994 08:49:37 GMT`.
 * Anything else is ignored, because Date.parse finds a date in almost any text, for example in `-5` or `in 3000`.
 * @param now milliseconds since the Unix epoch
 * @returns milliseconds from now, negative for a date in the past; undefined without a valid header
 */
export function retryAfterMs(header: string | undefined, now: number): number | undefined {
  const value = header?.trim();
  if (value === undefined) return undefined;
  if (/^\d+$/.test(value)) return Number(value) * 1000;
  const date = new Date(value);
  return !Number.isNaN(date.getTime()) && date.toUTCString() === value ? date.getTime() - now : undefined;
}
