/** Where the time comes from. Injected, so that tests decide what time it is. */
export interface Clock {
  /** Milliseconds since the Unix epoch. */
  now(): number;
}

/** Injection token of the clock. */
export const CLOCK = Symbol('clock');

export const systemClock: Clock = { now: () => Date.now() };
