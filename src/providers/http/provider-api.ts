import { Agent as HttpAgent, type AgentOptions } from 'node:http';
import { Agent as HttpsAgent, type RequestOptions } from 'node:https';
import { urlToHttpOptions } from 'node:url';
import { readableReason } from '../failure-reason.js';
import { UnreadableAttachmentError, type DeliveryOutcome, type HandOver } from '../provider.js';
import { exchange, type BodySource, type ExchangeEnd, type RequestBody } from './http-exchange.js';
import type { ProviderResponse } from './provider-response.js';

export interface ProviderApiOptions {
  /** The name of the provider in sentences, for example SendGrid. */
  readonly label: string;
  /** Address of the calls. */
  readonly url: string;
  /** Maximum number of open connections. Further requests wait for a free one. */
  readonly maxConnections: number;
}

export interface ProviderCall {
  readonly headers: Readonly<Record<string, string>>;
  /** Called once connected. */
  readonly bodyOf: BodySource;
  /** Maps the response to a complete request. */
  readonly outcomeOf: (response: ProviderResponse) => DeliveryOutcome;
}

/** A call whose body, if it has one of its own, names neither sender nor recipient. */
type CallWithoutEmail = Omit<ProviderCall, 'bodyOf'> & Partial<Pick<ProviderCall, 'bodyOf'>>;

/** Names neither sender nor recipient, so that no provider can deliver it. */
export const NO_EMAIL = { length: 2, end: '{}' } as const satisfies RequestBody;

/**
 * Closes idle connections before a load balancer does, because a request on a closing connection has
 * an unknown outcome.
 */
const IDLE_CONNECTION_MS = 15_000;

/** Statuses that a server can choose by the headers of a request, and that need no body to be understood. */
const DECIDED_BY_HEADERS = new Set([401, 402, 413, 429, 503]);

/** Posts emails to the API of a provider over HTTP, with connections that stay open. */
export class ProviderApi {
  private readonly agent: HttpAgent;
  private readonly target: RequestOptions;

  constructor(private readonly options: ProviderApiOptions) {
    const { maxConnections } = options;
    const pool: AgentOptions = {
      keepAlive: true,
      maxSockets: maxConnections,
      maxFreeSockets: maxConnections,
      timeout: IDLE_CONNECTION_MS,
      scheduling: 'lifo',
    };
    const url = new URL(options.url);
    this.agent = url.protocol === 'https:' ? new HttpsAgent(pool) : new HttpAgent(pool);
    this.target = { ...urlToHttpOptions(url), method: 'POST', agent: this.agent };
  }

  /** Makes one call. After a lost response, the outcome is unknown. */
  async post(call: ProviderCall, signal: AbortSignal, handOver: HandOver): Promise<DeliveryOutcome> {
    if (signal.aborted) return { kind: 'retry', reason: this.outOfTime };
    const options = { ...this.target, headers: call.headers };
    const end = await exchange(options, call.bodyOf, signal, handOver).catch(requestFailed);
    if ('response' in end) return this.outcomeOfPage(end.response) ?? call.outcomeOf(end.response);
    if ('early' in end) return this.outcomeOfEarlyResponse(end.early, end.hasBegun, call);
    const reason = readableReason(this.describeError(end.error, signal));
    if (end.requestWritten) return { kind: 'ambiguous', reason };
    return { kind: 'retry', reason, ...(!end.connected && { unreachable: true }) };
  }

  /**
   * Makes a call without an email. Same path and credential, so whatever breaks all calls breaks this one, too; what
   * breaks only for complete emails, it does not show. A 403 is a refusal also where an email would be
   * retried after it.
   */
  postWithoutEmail(call: CallWithoutEmail, signal: AbortSignal): Promise<DeliveryOutcome> {
    const outcomeOf = (response: ProviderResponse): DeliveryOutcome => {
      const outcome = call.outcomeOf(response);
      const isRefusal = outcome.kind === 'retry' && response.status === 403;
      return isRefusal ? { kind: 'refused', reason: outcome.reason } : outcome;
    };
    const bodyOf = call.bodyOf ?? (() => Promise.resolve(NO_EMAIL));
    return this.post({ headers: call.headers, bodyOf, outcomeOf }, signal, () => Promise.resolve(true));
  }

  /** Aborts requests in flight. Call it after the last delivery has returned. */
  close(): void {
    this.agent.destroy();
  }

  /**
   * Maps a response to an incomplete request, whose end was never sent. The message is certainly not accepted, even if
   * the status says so: it may be a second response to an earlier request, or come from a load balancer that closes the
   * connection. If `hasBegun` is false, it cannot be about this request.
   */
  private outcomeOfEarlyResponse(response: ProviderResponse, hasBegun: boolean, call: ProviderCall): DeliveryOutcome {
    const { status } = response;
    const outcome = hasBegun && DECIDED_BY_HEADERS.has(status) ? call.outcomeOf(response) : undefined;
    // After a complete request, some providers may have accepted the message in spite of such a status.
    if (outcome && outcome.kind !== 'ambiguous') return outcome;
    return { kind: 'retry', reason: `${this.options.label} responded with ${status} before the request was complete` };
  }

  /**
   * Maps a response with a page, which does not come from the API but from something in front of it, or from another
   * server if the address is wrong. Such a success accepts nothing for certain, and such a 400 is not about the email.
   */
  private outcomeOfPage({ status, body }: ProviderResponse): DeliveryOutcome | undefined {
    if (typeof body !== 'string' || !/^\s*</.test(body)) return undefined;
    const reason = `${this.options.label} responded with ${status} and a page, not as its API does`;
    if (status >= 200 && status < 300) return { kind: 'ambiguous', reason };
    return status === 400 ? { kind: 'retry', reason } : undefined;
  }

  private describeError(error: Error & { code?: unknown }, signal: AbortSignal): string {
    if (signal.aborted) return this.outOfTime;
    if (error instanceof UnreadableAttachmentError) return error.message;
    const cause = typeof error.code === 'string' ? error.code : 'unknown cause';
    return `The connection to ${this.options.label} failed (${cause})`;
  }

  private get outOfTime(): string {
    return `${this.options.label} did not respond in time`;
  }
}

/** The request could not be created, for example because the API key is not valid in a header. */
const requestFailed = (error: Error): ExchangeEnd => ({ error, connected: false, requestWritten: false });
