/** Number of deliveries that count in full; older ones lose weight. */
const REMEMBERED_DELIVERIES = 300;

/** Deliveries and the time they took. */
export interface MeasuredThroughput {
  readonly deliveries: number;
  readonly ms: number;
}

/** Deliveries per millisecond. */
export function throughputOf({ deliveries, ms }: MeasuredThroughput): number {
  return deliveries / ms;
}

export function joinThroughput(before: MeasuredThroughput | undefined, window: MeasuredThroughput): MeasuredThroughput {
  if (!before) return window;
  const weight = Math.min(1, REMEMBERED_DELIVERIES / before.deliveries);
  return { deliveries: before.deliveries * weight + window.deliveries, ms: before.ms * weight + window.ms };
}
