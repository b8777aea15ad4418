/** The source of the current time. Injected, so that tests can control it. */
export interface Clock {
  /** Milliseconds since the Unix epoch. */
  now(): number;
}

/** Injection token of the clock. */
export const CLOCK = Symbol('clock');

export const systemClock: Clock = { now: () => Date.now() };

/** Injection token of the clock for times that only this process compares. In production it is `monotonicClock`. */
export const MONOTONIC_CLOCK = Symbol('monotonic-clock');

/** For times that only this process compares: it never jumps, even if the system clock is set. */
export const monotonicClock: Clock = { now: () => performance.now() };
