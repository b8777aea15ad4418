import { useEffect, useState } from 'preact/hooks';

/** A timer fires at once when its delay is longer. */
const MAX_TIMER_MS = 2 ** 31 - 1;

/** True once the time has passed, also on a page that stays open. @param time ISO 8601, or empty for none */
export function useHasPassed(time: string): boolean {
  const [checks, check] = useState(0);
  const leftMs = Date.parse(time) - Date.now();
  useEffect(() => {
    if (!(leftMs > 0)) return undefined;
    const timer = setTimeout(() => check(checks + 1), Math.min(leftMs, MAX_TIMER_MS));
    return () => clearTimeout(timer);
  }, [time, checks]);
  return leftMs <= 0;
}
