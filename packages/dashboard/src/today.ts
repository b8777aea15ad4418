import { useEffect, useState } from 'preact/hooks';

const CHECK_MS = 30_000;

const observers = new Set<(day: string) => void>();
let today = new Date().toDateString();

// A timer until midnight would be late on a computer that was asleep.
setInterval(() => {
  const now = new Date().toDateString();
  if (now === today) return;
  today = now;
  for (const observe of observers) observe(now);
}, CHECK_MS);

/** The day of the reader, as `Date.toDateString`, also on a page that stays open. */
export function useToday(): string {
  const [day, show] = useState(today);
  useEffect(() => {
    observers.add(show);
    show(today);
    return () => void observers.delete(show);
  }, []);
  return day;
}
