import process from 'node:process';

/** A task whose text becomes longer than the engine allows. */
export function growTooLong() {
  return 'x'.repeat(2 ** 30);
}

/** A short task. */
export function endAtOnce({ start }) {
  start[0] = Number(process.hrtime.bigint()) / 1e6;
  return 'done';
}
