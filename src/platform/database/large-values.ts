/** Characters of text and bytes of buffers. The limit of an idle transaction allows this much at 0.2 MB/s. */
const LARGE = 1024 * 1024;

/**
 * For a transaction whose next statement is prepared and has large values. To Postgres it is idle until the message
 * with those values has arrived, so a slow link would end it. They get as long as a statement may take.
 */
export const WAIT_FOR_VALUES = `set local idle_in_transaction_session_timeout = '15s'`;

/** @param values of a statement, which may be lists */
export function areLarge(values: readonly unknown[]): boolean {
  return sizeOf(values) > LARGE;
}

function sizeOf(value: unknown): number {
  if (typeof value === 'string' || Buffer.isBuffer(value)) return value.length;
  return Array.isArray(value) ? value.reduce<number>((sum, item) => sum + sizeOf(item), 0) : 0;
}
