/** For a longer delay, the caller decides what to do. */
const MAX_DELAY_MS = 60_000;
const FIRST_BACKOFF_MS = 500;
const MAX_BACKOFF_MS = 8_000;

/**
 * No response, or that of a proxy which got none from the service: 520 to 524 and 527 are Cloudflare's, whose 525 and
 * 526 (TLS) last.
 */
const WITHOUT_RESPONSE: readonly number[] = [0, 502, 503, 504, 520, 521, 522, 523, 524, 527];

/** The properties of a failed attempt that decide about the next one. */
export interface FailedAttempt {
  /** 0 without a response. */
  readonly status: number;
  /** The delay that the service requested. */
  readonly retryAfterMs: number | undefined;
  /** True if repeating the call does no harm, even if the service acted on this attempt. */
  readonly isRepeatable: boolean;
}

/** True if the service refused the request before it acted: too many requests, or the body arrived too slowly. */
export function isRefusedBeforehand(status: number): boolean {
  return status === 429 || status === 408;
}

/**
 * After no response, or the error of a proxy or a database, the service may
 * have acted. A 409 with a time means that the first request with the same `Idempotency-Key` still runs.
 */
export function isWorthRetrying({ status, retryAfterMs, isRepeatable }: FailedAttempt): boolean {
  if ((retryAfterMs ?? 0) > MAX_DELAY_MS) return false;
  if (isRefusedBeforehand(status)) return true;
  if (!isRepeatable) return false;
  return WITHOUT_RESPONSE.includes(status) || (status === 409 && retryAfterMs !== undefined);
}

/**
 * Milliseconds until the next attempt: never earlier than the service requested, and with jitter, so that many clients
 * do not return at once.
 * @param failed how many attempts have failed, from 1
 * @param random from 0 to 1
 */
export function retryDelayMs(failed: number, retryAfterMs: number | undefined, random: number): number {
  const backoff = Math.min(MAX_BACKOFF_MS, FIRST_BACKOFF_MS * 2 ** (failed - 1));
  const spread = backoff * (0.5 + random / 2);
  return retryAfterMs === undefined ? spread : retryAfterMs + random * FIRST_BACKOFF_MS;
}

/** Reads a Retry-After header (RFC 9110, 10.2.3), in seconds or as a date. */
export function parseRetryAfter(value: string | null, nowMs: number): number | undefined {
  if (value === null) return undefined;
  if (/^\d+$/.test(value)) return Number(value) * 1000;
  // Date.parse finds a date in almost any text, such as `-5`.
  const date = new Date(value);
  return !Number.isNaN(date.getTime()) && date.toUTCString() === value
    ? Math.max(0, date.getTime() - nowMs)
    : undefined;
}
