import { setTimeout as delay } from 'node:timers/promises';
import type { ServiceProcess } from './testbed/service-process.js';

const REQUEST_TIMEOUT_MS = 15_000;
const RETRY_MS = 200;
const MAX_RETRY_MS = 2_000;
const RETRYABLE_STATUSES = new Set([409, 429, 500, 502, 503, 504]);

export interface ApiResponse {
  readonly status: number;
  readonly body: Readonly<Record<string, unknown>>;
}

/** Whether to repeat a request with this status. Each attempt goes to the next process, after a longer pause. */
export function isRetryable(status: number): boolean {
  return RETRYABLE_STATUSES.has(status);
}

export function waitBeforeRetry(attempt: number): Promise<void> {
  return delay(attempt === 0 ? 0 : Math.min(RETRY_MS * attempt, MAX_RETRY_MS));
}

/** Sends requests with a customer's key to the API processes in turn. */
export class ApiClient {
  private turn = 0;

  constructor(
    private readonly apis: () => readonly ServiceProcess[],
    private readonly apiKey: string,
  ) {}

  /** @throws TypeError of fetch when the process cannot be reached or does not respond */
  async request(path: string, body?: unknown, headers: Readonly<Record<string, string>> = {}): Promise<ApiResponse> {
    const services = this.apis();
    const service = services[this.turn++ % services.length];
    if (!service) throw new TypeError('No API process is ready');
    const response = await fetch(service.address + path, {
      method: body === undefined ? 'GET' : 'POST',
      headers: {
        'x-api-key': this.apiKey,
        ...(body !== undefined && { 'content-type': 'application/json' }),
        ...headers,
      },
      ...(body !== undefined && { body: JSON.stringify(body) }),
      signal: AbortSignal.timeout(REQUEST_TIMEOUT_MS),
    });
    const text = await response.text();
    return { status: response.status, body: readObject(text) };
  }

  /**
   * Repeats a request until its response is final.
   * @throws Error when there is no such response in time
   */
  async requestWithRetries(path: string, body?: unknown, timeoutMs = 90_000): Promise<ApiResponse> {
    const deadline = performance.now() + timeoutMs;
    for (let attempt = 0; ; attempt++) {
      await waitBeforeRetry(attempt);
      const response = await this.request(path, body).catch(() => undefined);
      if (response && !isRetryable(response.status)) return response;
      if (performance.now() > deadline) throw new Error(`${path}: ${JSON.stringify(response ?? 'no response')}`);
    }
  }
}

function readObject(text: string): Readonly<Record<string, unknown>> {
  try {
    return JSON.parse(text) as Record<string, unknown>;
  } catch {
    return {};
  }
}
