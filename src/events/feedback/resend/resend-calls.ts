import { Inject, Injectable } from '@nestjs/common';
import type { FastifyRequest } from 'fastify';
import { CLOCK, type Clock } from '../../../platform/clock/clock.js';
import { rawBodyOf, type RawBody } from '../../../platform/http/request-check.js';
import type { EventAccount, EventCalls } from '../event-calls.js';
import { parseBody } from '../parse-body.js';
import { fieldsOf } from '../provider-event-fields.js';
import { ProviderEvents } from '../provider-events.js';
import { parseResendEvent, type ParsedResendEvent } from './parse-resend-event.js';
import { isSignedByResend, readResendSignature, type ResendSignature } from './resend-signature.js';

/** An event about an email has one or two kilobytes; others may reach the address, too. */
export const RESEND_BODY: RawBody = { mediaType: 'application/json', maxBytes: 1024 * 1024 };
/** An event has about thirty, and one for each tag and recipient. */
const MAX_VALUES = 20_000;

type Account = EventAccount<'resend'>;

/**
 * Calls of Resend's webhooks. Their headers are checked before the body is read, and the signature before the body is
 * parsed.
 */
@Injectable()
export class ResendCalls implements EventCalls<'resend'> {
  readonly body = RESEND_BODY;

  constructor(
    @Inject(CLOCK) private readonly clock: Clock,
    private readonly events: ProviderEvents,
  ) {}

  admit(account: Account, request: FastifyRequest): void {
    this.signatureOf(account, request);
  }

  verify(account: Account, request: FastifyRequest): () => ParsedResendEvent[] {
    const body = rawBodyOf(request);
    const signature = this.signatureOf(account, request);
    if (!isSignedByResend(account.keys, signature, body)) this.events.refuseSignature(account, 'wrong-signature');
    return () => this.read(account, request, signature.id);
  }

  /** @param id of the call */
  private read(account: Account, request: FastifyRequest, id: string): ParsedResendEvent[] {
    const body = parseBody(request, MAX_VALUES) ?? this.events.refuseValues(account);
    const event = fieldsOf(body.parsed);
    if (!event) return this.events.refuse(account, 'invalid', 'The body must be a JSON object');
    return [parseResendEvent(event, id)];
  }

  private signatureOf(account: Account, { headers }: FastifyRequest): ResendSignature {
    const signature = readResendSignature(headers, this.clock.now());
    return typeof signature === 'string' ? this.events.refuseSignature(account, signature) : signature;
  }
}
