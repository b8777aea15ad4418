import { Agent as HttpAgent, type AgentOptions } from 'node:http';
import { Agent as HttpsAgent, type RequestOptions } from 'node:https';
import { urlToHttpOptions } from 'node:url';
import type { Clock } from '../../platform/clock/clock.js';
import { findUnsafeField } from '../header-safety.js';
import {
  UnreadableAttachmentError,
  type BatchDelivery,
  type BatchHandOver,
  type BatchMessage,
  type BatchRecipient,
  type DeliveryOutcome,
  type DeliveryProvider,
  type HandOver,
  type OutgoingEmail,
} from '../provider.js';
import { readableReason } from '../failure-reason.js';
import { outcomeOfEarlyResponse, outcomeOfResponse } from './sendgrid-response.js';
import { exchange, type ExchangeEnd, type BodySource } from './http-exchange.js';
import { requestBodyOf } from './request-body.js';
import { batchBody, fitsBatch, MAX_RECIPIENTS } from './batch-body.js';

export interface SendGridOptions {
  readonly apiKey: string;
  /** Base address of the API, without a path. */
  readonly url: string;
  /** Maximum number of open connections. Further requests wait for a free one. */
  readonly maxConnections: number;
}

/** Closes idle connections before a load balancer does, because a request on a closing connection has an unknown outcome. */
const IDLE_CONNECTION_MS = 15_000;

/**
 * Delivers through SendGrid's v3 API. The API has no results per recipient, so an attempt goes to all remaining
 * recipients. It has no idempotency key, so a lost response is 'ambiguous'.
 */
export class SendGridProvider implements DeliveryProvider {
  readonly name = 'sendgrid';
  readonly batch: BatchDelivery = {
    maxRecipients: MAX_RECIPIENTS,
    takes: fitsBatch,
    deliver: (...call) => this.deliverBatch(...call),
  };
  private readonly agent: HttpAgent;
  private readonly target: RequestOptions;

  constructor(
    private readonly options: SendGridOptions,
    private readonly clock: Clock,
  ) {
    const pool: AgentOptions = {
      keepAlive: true,
      maxSockets: options.maxConnections,
      maxFreeSockets: options.maxConnections,
      timeout: IDLE_CONNECTION_MS,
      scheduling: 'lifo',
    };
    const url = new URL(`${options.url}/v3/mail/send`);
    this.agent = url.protocol === 'https:' ? new HttpsAgent(pool) : new HttpAgent(pool);
    this.target = { ...urlToHttpOptions(url), method: 'POST', agent: this.agent };
  }

  async deliver(email: OutgoingEmail, signal: AbortSignal, handOver: HandOver): Promise<DeliveryOutcome> {
    const unsafe = findUnsafeField(email);
    if (unsafe !== undefined)
      return { kind: 'refused', reason: `${unsafe} contains characters that are not allowed in email` };
    if (signal.aborted) return { kind: 'retry', reason: OUT_OF_TIME };
    const body = requestBodyOf(email);
    return this.post(() => Promise.resolve(body), email.messageId, signal, handOver);
  }

  private async post(
    bodyOf: BodySource,
    messageId: string,
    signal: AbortSignal,
    handOver: HandOver,
  ): Promise<DeliveryOutcome> {
    const options = { ...this.target, headers: this.headers };
    const end = await exchange(options, bodyOf, signal, handOver).catch(requestFailed);
    if ('response' in end) return outcomeOfResponse(end.response, messageId, this.clock.now());
    if ('early' in end) return outcomeOfEarlyResponse(end.early, end.hasBegun, this.clock.now());
    const reason = readableReason(describeError(end.error, signal));
    return { kind: end.requestWritten ? 'ambiguous' : 'retry', reason };
  }

  /** The body names only the recipients of claimed emails, so it is created after the claim. */
  private async deliverBatch(
    message: BatchMessage,
    recipients: readonly BatchRecipient[],
    signal: AbortSignal,
    handOver: BatchHandOver,
  ): Promise<DeliveryOutcome> {
    if (signal.aborted) return { kind: 'retry', reason: OUT_OF_TIME };
    const bodyOf: BodySource = async () => {
      const allowed = await handOver();
      const claimed = recipients.filter((_, index) => allowed[index]);
      if (claimed.length === 0) return undefined;
      const end = batchBody(message, claimed);
      return { length: Buffer.byteLength(end), end };
    };
    return this.post(bodyOf, recipients[0]!.messageId, signal, () => Promise.resolve(true));
  }

  /** Aborts requests in flight. Call it after the last delivery has returned. */
  close(): Promise<void> {
    this.agent.destroy();
    return Promise.resolve();
  }

  private get headers(): Record<string, string> {
    return {
      Authorization: `Bearer ${this.options.apiKey}`,
      'Content-Type': 'application/json',
      Accept: 'application/json',
      'User-Agent': 'mailbeacon',
    };
  }
}

const OUT_OF_TIME = 'SendGrid did not respond in time';

/** The request could not be created, for example because the API key is not valid in a header. */
const requestFailed = (error: Error): ExchangeEnd => ({ error, requestWritten: false });

function describeError(error: Error & { code?: unknown }, signal: AbortSignal): string {
  if (signal.aborted) return OUT_OF_TIME;
  if (error instanceof UnreadableAttachmentError) return error.message;
  return `The connection to SendGrid failed (${typeof error.code === 'string' ? error.code : 'unknown cause'})`;
}
