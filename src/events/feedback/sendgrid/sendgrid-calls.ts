import type { IncomingHttpHeaders } from 'node:http';
import { Inject, Injectable } from '@nestjs/common';
import type { FastifyRequest } from 'fastify';
import { CLOCK, type Clock } from '../../../platform/clock/clock.js';
import { rawBodyOf, type RawBody } from '../../../platform/http/request-check.js';
import type { EventAccount, EventCalls } from '../event-calls.js';
import { parseBody } from '../parse-body.js';
import { ProviderEvents } from '../provider-events.js';
import { parseSendGridEvent, type ParsedSendGridEvent } from './parse-sendgrid-event.js';
import { hasSendGridSigned, readSendGridSignature, type SendGridSignature } from './sendgrid-signature.js';

export const SENDGRID_BODY: RawBody = { mediaType: 'application/json', maxBytes: 10 * 1024 * 1024 };
const MAX_EVENTS = 10_000;
/** Each of them can have thirty, twice as many as most have. */
const MAX_VALUES = 300_000;

type Account = EventAccount<'sendgrid'>;

/**
 * Calls of SendGrid's Event Webhook. Their signature is checked for its form before the body is read, and verified
 * before the body is parsed.
 */
@Injectable()
export class SendGridCalls implements EventCalls<'sendgrid'> {
  readonly body = SENDGRID_BODY;

  constructor(
    @Inject(CLOCK) private readonly clock: Clock,
    private readonly events: ProviderEvents,
  ) {}

  admit(account: Account, { headers }: FastifyRequest): void {
    this.signatureOf(account, headers);
  }

  verify(account: Account, request: FastifyRequest): () => ParsedSendGridEvent[] {
    const body = rawBodyOf(request);
    const signature = this.signatureOf(account, request.headers);
    if (!hasSendGridSigned(account.keys, signature, body)) this.events.refuseSignature(account, 'wrong-signature');
    return () => this.read(account, request);
  }

  private read(account: Account, request: FastifyRequest): ParsedSendGridEvent[] {
    const { parsed } = parseBody(request, MAX_VALUES) ?? this.events.refuseValues(account);
    if (!Array.isArray(parsed))
      return this.events.refuse(account, 'invalid', 'The body must be a JSON array of events');
    if (parsed.length > MAX_EVENTS)
      this.events.refuse(account, 'too-large', `The body has too many events: at most ${MAX_EVENTS}`);
    return parsed.map(parseSendGridEvent);
  }

  private signatureOf(account: Account, headers: IncomingHttpHeaders): SendGridSignature {
    const signature = readSendGridSignature(headers, this.clock.now());
    return typeof signature === 'string' ? this.events.refuseSignature(account, signature) : signature;
  }
}
