import { Agent as HttpAgent, type AgentOptions } from 'node:http';
import { Agent as HttpsAgent } from 'node:https';
import { Client } from '@sendgrid/client';
import type { Clock } from '../../clock/clock.js';
import { findUnsafeField } from '../header-safety.js';
import type { DeliveryOutcome, DeliveryProvider, OutgoingEmail } from '../provider.js';
import { readableReason } from '../reason.js';
import { outcomeOfAnswer, type Answer } from './answer.js';
import { Exchange } from './exchange.js';
import { toMailSendBody } from './mail-send-body.js';

export interface SendGridOptions {
  readonly apiKey: string;
  /** Base address of the API, without a path. */
  readonly url: string;
  /** Most connections open at once; further requests wait for a free one. */
  readonly maxConnections: number;
}

/** Idle connections are closed before a load balancer does it: a request on a connection being closed is ambiguous. */
const IDLE_CONNECTION_MS = 15_000;
const LARGEST_ANSWER_BYTES = 64 * 1024;

type RequestDefaults = Parameters<Client['setDefaultRequest']>[0];

/**
 * Delivers through the v3 API of SendGrid. It has no results per recipient, so every attempt goes to all of
 * to, cc and bcc, whatever `envelopeRecipients` says; and it has no idempotency key, hence 'ambiguous'.
 */
export class SendGridProvider implements DeliveryProvider {
  readonly name = 'sendgrid';
  private readonly httpAgent: HttpAgent;
  private readonly httpsAgent: HttpsAgent;

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
    this.httpAgent = new HttpAgent(pool);
    this.httpsAgent = new HttpsAgent(pool);
  }

  async deliver(email: OutgoingEmail, signal: AbortSignal): Promise<DeliveryOutcome> {
    const unsafe = findUnsafeField(email);
    if (unsafe !== undefined) return { kind: 'refused', reason: `${unsafe} holds characters that no mail can carry` };
    const exchange = new Exchange();
    try {
      const [{ statusCode: status, headers, body }] = await this.clientFor(exchange, signal).request({
        method: 'POST',
        url: '/v3/mail/send',
        body: toMailSendBody(email),
      });
      return this.outcomeOf({ status, headers: headers as Answer['headers'], body }, email);
    } catch (error) {
      // A status is an answer, even when the rest of it was cut off or too long.
      if (exchange.answerHead) return this.outcomeOf(exchange.answerHead, email);
      const reason = readableReason(whatHappened(error, signal));
      return { kind: exchange.requestWritten ? 'ambiguous' : 'retry', reason };
    }
  }

  /** Cuts whatever is still under way: to be called once the last delivery is back. */
  close(): Promise<void> {
    this.httpAgent.destroy();
    this.httpsAgent.destroy();
    return Promise.resolve();
  }

  /** One client per exchange, since the client knows a signal and a transport only as defaults of all its requests. */
  private clientFor(exchange: Exchange, signal: AbortSignal): Client {
    const client = new Client();
    // Not setApiKey(): it writes to the console when a key has an unusual form.
    client.setDefaultHeader('Authorization', `Bearer ${this.options.apiKey}`);
    const defaults = {
      baseUrl: this.options.url,
      httpAgent: this.httpAgent,
      httpsAgent: this.httpsAgent,
      transport: exchange,
      signal,
      proxy: false,
      maxRedirects: 0,
      maxContentLength: LARGEST_ANSWER_BYTES,
      validateStatus: () => true,
    };
    client.setDefaultRequest(defaults as unknown as RequestDefaults);
    return client;
  }

  private outcomeOf(answer: Answer, email: OutgoingEmail): DeliveryOutcome {
    return outcomeOfAnswer(answer, email.messageId, this.clock.now());
  }
}

function whatHappened(error: unknown, signal: AbortSignal): string {
  if (signal.aborted) return 'SendGrid did not answer in time';
  const { code } = error as { code?: unknown };
  return `The connection to SendGrid failed (${typeof code === 'string' ? code : 'unknown cause'})`;
}
