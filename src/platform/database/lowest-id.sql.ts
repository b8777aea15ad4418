/**
 * SQL for a UUID below every UUIDv7 of this time and later. Times that a UUIDv7 cannot have become the first or the last.
 * @param time an expression of type timestamptz
 */
export function lowestIdAt(time: string): string {
  const milliseconds = `least(greatest((extract(epoch from ${time}) * 1000)::bigint, 0), (1::bigint << 48) - 1)`;
  return `(lpad(to_hex(${milliseconds}), 12, '0') || repeat('0', 20))::uuid`;
}
