/** How much earlier than its email an event may appear, because clocks differ between machines. */
export const EVENT_CLOCK_SKEW_MS = 3_600_000;
