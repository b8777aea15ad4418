import type { IncomingHttpHeaders } from 'node:http';
import { Inject, Injectable } from '@nestjs/common';
import type { FastifyRequest } from 'fastify';
import { CLOCK, type Clock } from '../../../platform/clock/clock.js';
import { BYTES_PER_VALUE } from '../../../platform/http/body-limits.js';
import { reserveForBody } from '../../../platform/http/json-bodies.js';
import { countJsonValues } from '../../../platform/http/json-structure.js';
import { rawBodyOf, type RawBody } from '../../../platform/http/request-check.js';
import { InvalidSignatureError } from '../provider-call-errors.js';
import type { EventAccount, EventCalls } from '../event-calls.js';
import { ProviderEventMetrics } from '../provider-event-metrics.js';
import { parseJson, ProviderEvents } from '../provider-events.js';
import { parseSendGridEvent, type ParsedSendGridEvent } from './parse-sendgrid-event.js';
import { hasSendGridSigned, readSendGridSignature, type SendGridSignature } from './sendgrid-signature.js';

export const SENDGRID_BODY: RawBody = { mediaType: 'application/json', maxBytes: 10 * 1024 * 1024 };
const MAX_EVENTS = 10_000;
/** Each of them can have thirty, twice as many as most have. */
const MAX_VALUES = 300_000;

type Account = EventAccount<'sendgrid'>;

/**
 * Calls of SendGrid's Event Webhook. Their signature is checked for its form before the body is read, and verified before
 * the body is parsed.
 */
@Injectable()
export class SendGridCalls implements EventCalls<'sendgrid'> {
  readonly body = SENDGRID_BODY;

  constructor(
    @Inject(CLOCK) private readonly clock: Clock,
    private readonly events: ProviderEvents,
    private readonly metrics: ProviderEventMetrics,
  ) {}

  admit(account: Account, { headers }: FastifyRequest): void {
    this.signatureOf(account, headers);
  }

  verify(account: Account, request: FastifyRequest): () => ParsedSendGridEvent[] {
    const body = rawBodyOf(request);
    const signature = this.signatureOf(account, request.headers);
    if (!hasSendGridSigned(account.keys, signature, body)) this.refuse(account, 'wrong-signature');
    return () => this.read(account, request, body);
  }

  private read(account: Account, request: FastifyRequest, body: Buffer): ParsedSendGridEvent[] {
    const count = countJsonValues(body, MAX_VALUES + 1);
    if (count > MAX_VALUES) this.events.refuse(account, 'too-large', 'The body has too many values');
    reserveForBody(request, count * BYTES_PER_VALUE);
    const values = parseJson(body);
    if (!Array.isArray(values))
      return this.events.refuse(account, 'invalid', 'The body must be a JSON array of events');
    if (values.length > MAX_EVENTS)
      this.events.refuse(account, 'too-large', `The body has too many events: at most ${MAX_EVENTS}`);
    return values.map(parseSendGridEvent);
  }

  private signatureOf(account: Account, headers: IncomingHttpHeaders): SendGridSignature {
    const signature = readSendGridSignature(headers, this.clock.now());
    return typeof signature === 'string' ? this.refuse(account, signature) : signature;
  }

  private refuse(account: Account, outcome: 'unsigned' | 'stale' | 'wrong-signature'): never {
    this.metrics.countCall(account, outcome);
    throw new InvalidSignatureError();
  }
}
