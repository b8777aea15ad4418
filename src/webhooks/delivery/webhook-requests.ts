import { Inject, Injectable } from '@nestjs/common';
import type { Clock } from '../../platform/clock/clock.js';
import { isUuid } from '../../platform/clock/uuid-v7.js';
import { TargetRefusedError } from '../../platform/outbound-http/outbound-policy.js';
import { DeadlineError } from '../../platform/clock/with-deadline.js';
import { POSTGRES_CLOCK } from '../../platform/database/postgres-clock.js';
import type { HttpResponse } from '../../platform/outbound-http/bounded-response.js';
import { GuardedHttp } from '../../platform/outbound-http/guarded-http.js';
import { TRACING, type Tracing } from '../../platform/tracing/tracing.js';
import { WEBHOOK_USER_AGENT } from '../webhook-events.js';
import { readRetryAfter } from './retry-schedule.js';
import { WEBHOOK_REQUEST_MS, type ClaimedWebhookDelivery } from './claim-deliveries.js';
import type { WebhookAttemptLog } from './webhook-settlement.js';

/** Response bytes kept in the delivery log: enough for an error message, too few to read out an internal host. */
const KEEP_BYTES = 256;
const GONE = 410;

export interface RequestResult {
  readonly kind: 'delivered' | 'failed' | 'refused' | 'gone';
  readonly attempt: WebhookAttemptLog;
  /** From the receiver's Retry-After; 0 without one. */
  readonly retryAfterMs: number;
}

/** Maps socket, DNS and TLS error codes to texts for the operator of the receiver. */
const reasonOfCode: Readonly<Record<string, string>> = {
  ECONNREFUSED: 'The connection was refused',
  ECONNRESET: 'The connection was reset',
  EPIPE: 'The connection was reset',
  ETIMEDOUT: 'The connection timed out',
  ENOTFOUND: 'The host name does not exist',
  ENODATA: 'The host name has no address',
  EHOSTUNREACH: 'The host is unreachable',
  ENETUNREACH: 'The host is unreachable',
  HPE_HEADER_OVERFLOW: 'The response headers are too large',
  CERT_HAS_EXPIRED: 'The TLS certificate has expired',
  DEPTH_ZERO_SELF_SIGNED_CERT: 'The TLS certificate is self-signed',
  SELF_SIGNED_CERT_IN_CHAIN: 'The TLS certificate is not from a known authority',
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: 'The TLS certificate chain is incomplete, or its authority is unknown',
  ERR_TLS_CERT_ALTNAME_INVALID: 'The TLS certificate is for another host',
};

/** Makes the HTTP request of an attempt and describes its result for the delivery log. */
@Injectable()
export class WebhookRequests {
  constructor(
    private readonly http: GuardedHttp,
    @Inject(POSTGRES_CLOCK) private readonly clock: Clock,
    @Inject(TRACING) private readonly tracing: Tracing,
  ) {}

  /** Never throws. @param startedAt milliseconds since the Unix epoch */
  post(delivery: ClaimedWebhookDelivery, signature: Record<string, string>, startedAt: number): Promise<RequestResult> {
    const emailId = this.tracing.on ? emailIdIn(delivery.body) : undefined;
    if (emailId === undefined) return this.request(delivery, signature, startedAt);
    const facts = { 'mailbeacon.delivery_id': delivery.id };
    return this.tracing.follow({ emailId, name: 'webhook', kind: 'client', facts }, async (addFacts) => {
      const result = await this.request(delivery, signature, startedAt);
      addFacts({ outcome: result.kind, ...(result.attempt.status !== null && { status: result.attempt.status }) });
      return result;
    });
  }

  private async request(
    { url, body }: ClaimedWebhookDelivery,
    signature: Record<string, string>,
    startedAt: number,
  ): Promise<RequestResult> {
    const headers = {
      ...signature,
      'content-type': 'application/json',
      'content-length': Buffer.byteLength(body),
      'user-agent': WEBHOOK_USER_AGENT,
    };
    const sentAt = performance.now();
    const finish = (): Pick<WebhookAttemptLog, 'startedAt' | 'durationMs'> => ({
      startedAt: new Date(startedAt),
      durationMs: Math.round(performance.now() - sentAt),
    });
    try {
      const response = await this.http.post({
        url,
        headers,
        body,
        deadlineMs: WEBHOOK_REQUEST_MS,
        keepBytes: KEEP_BYTES,
      });
      return this.resultOf(response, finish());
    } catch (error) {
      const kind = error instanceof TargetRefusedError ? 'refused' : 'failed';
      const attempt = { ...finish(), status: null, error: reasonOf(error), answer: null };
      return { kind, attempt, retryAfterMs: 0 };
    }
  }

  private resultOf(
    { status, headers, body }: HttpResponse,
    timing: Pick<WebhookAttemptLog, 'startedAt' | 'durationMs'>,
  ) {
    const isSuccess = status >= 200 && status <= 299;
    const error = isSuccess
      ? null
      : `The receiver responded with ${status}${isRedirect(status) ? '; redirects are not followed' : ''}`;
    const attempt: WebhookAttemptLog = { ...timing, status, error, answer: textOf(body) };
    if (isSuccess) return { kind: 'delivered', attempt, retryAfterMs: 0 } as const;
    const retryAfterMs = readRetryAfter(headers['retry-after'], this.clock.now());
    return { kind: status === GONE ? 'gone' : 'failed', attempt, retryAfterMs } as const;
  }
}

const isRedirect = (status: number): boolean => status >= 300 && status <= 399;

/** Decodes to text that Postgres can store. Omits a character that was cut off at the end. */
function textOf(body: Buffer): string {
  return new TextDecoder().decode(body, { stream: true }).replaceAll('\0', '\uFFFD');
}

function reasonOf(error: unknown): string {
  if (error instanceof DeadlineError) return `No response within ${WEBHOOK_REQUEST_MS / 1000} seconds`;
  if (error instanceof TargetRefusedError) return `Not called: the address ${error.message}`;
  const code = codeOf(error);
  return reasonOfCode[code] ?? `The request failed${/^[A-Z0-9_]{3,60}$/.test(code) ? ` (${code})` : ''}`;
}

/** When all addresses of a host fail, Node.js throws one AggregateError. Use the code of its first error. */
function codeOf(error: unknown): string {
  const { code, errors } = error as { code?: unknown; errors?: unknown[] };
  return String(code ?? (errors?.[0] as { code?: unknown } | undefined)?.code ?? '');
}

/** Undefined for an event without an email, such as a test. */
function emailIdIn(body: string): string | undefined {
  try {
    const { data } = JSON.parse(body) as { data?: { id?: unknown } };
    return typeof data?.id === 'string' && isUuid(data.id) ? data.id : undefined;
  } catch {
    return undefined;
  }
}
