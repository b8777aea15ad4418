/**
 * SQL for a UUID below every UUIDv7 of this time and later. Times that a UUIDv7 cannot have become the first
 * or the last.
 * @param time an expression of type timestamptz
 */
export function lowestIdAt(time: string): string {
  const milliseconds = `least(greatest((extract(epoch from ${time}) * 1000)::bigint, 0), (1::bigint << 48) - 1)`;
  return `(lpad(to_hex(${milliseconds}), 12, '0') || repeat('0', 20))::uuid`;
}

/** SQL for the time in a UUIDv7 (RFC 9562, 5.7). @param id an expression of type uuid */
export function timeOfId(id: string): string {
  return `to_timestamp(('x' || left(replace((${id})::text, '-', ''), 12))::bit(48)::bigint / 1000.0)`;
}
