import { isJsonObject, type JsonObject } from '../../platform/http/json-object.js';
import { retryAfterMs } from '../../platform/outbound-http/retry-after.js';

/** A response of a provider's API. Header names are lower case. `body` is parsed JSON, other text, or undefined. */
export interface ProviderResponse {
  readonly status: number;
  readonly headers: Readonly<Record<string, unknown>>;
  readonly body?: unknown;
  /** True if the body is only the beginning of a longer text. */
  readonly isCut?: boolean;
}

const SHORTEST_PAUSE_MS = 1000;
/** A longer wait probably means a wrong clock on one side. */
export const LONGEST_PAUSE_MS = 15 * 60_000;
/** Pause after a 429 without a time. */
export const DEFAULT_PAUSE_MS = 30_000;

/** @returns the value of a header that occurs once */
export function headerOf({ headers }: ProviderResponse, name: string): string | undefined {
  const value = headers[name];
  return typeof value === 'string' ? value : undefined;
}

/** The fields of a body; none if it is text, such as the error page of a gateway. */
export function bodyFields(body: unknown): JsonObject {
  return isJsonObject(body) ? body : {};
}

/**
 * Reads Retry-After (RFC 9110, 10.2.3), within bounds.
 * @param now milliseconds since the epoch
 */
export function requestedPauseMs(response: ProviderResponse, now: number): number | undefined {
  const requested = retryAfterMs(headerOf(response, 'retry-after'), now);
  return requested === undefined ? undefined : boundedPauseMs(requested);
}

/** A pause that a provider requested, within bounds. */
export function boundedPauseMs(milliseconds: number): number {
  return Math.min(Math.max(milliseconds, SHORTEST_PAUSE_MS), LONGEST_PAUSE_MS);
}
