/** @param share of the durations that are at most as long, from 0 to 1 */
export function quantile(durations, share) {
  const sorted = [...durations].sort((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))];
}

/** A phrase about durations in milliseconds. */
export function describe(durations) {
  const at = (share) => quantile(durations, share).toFixed(0);
  return `${durations.length} with a median of ${at(0.5)} ms, p95 ${at(0.95)}, slowest ${Math.max(...durations).toFixed(0)}`;
}
