import { Inject, Injectable } from '@nestjs/common';
import type { FastifyRequest } from 'fastify';
import { CLOCK, type Clock } from '../../../platform/clock/clock.js';
import type { RawBody } from '../../../platform/http/request-check.js';
import type { EventAccount, EventCalls } from '../event-calls.js';
import { parseBody } from '../parse-body.js';
import { fieldsOf } from '../provider-event-fields.js';
import { ProviderEvents } from '../provider-events.js';
import { hasMailgunSigned, readMailgunSignature } from './mailgun-signature.js';
import { parseMailgunEvent, type ParsedMailgunEvent } from './parse-mailgun-event.js';

/** An event has one or two kilobytes, and the variables and tags of other software at most 16 more. */
export const MAILGUN_BODY: RawBody = { mediaType: 'application/json', maxBytes: 64 * 1024 };
/** An event has about a hundred. The body of a stranger must be parsed to find out that it is not signed. */
const MAX_VALUES = 4_000;

type Account = EventAccount<'mailgun'>;

/** Calls of Mailgun's webhooks. The signature is in the body, so nothing can be refused before. */
@Injectable()
export class MailgunCalls implements EventCalls<'mailgun'> {
  readonly body = MAILGUN_BODY;

  constructor(
    @Inject(CLOCK) private readonly clock: Clock,
    private readonly events: ProviderEvents,
  ) {}

  admit(): void {}

  verify(account: Account, request: FastifyRequest): () => ParsedMailgunEvent[] {
    const body = parseBody(request, MAX_VALUES) ?? this.events.refuseSignature(account, 'unsigned');
    const { signature, 'event-data': event } = fieldsOf(body.parsed) ?? {};
    this.check(account, signature);
    return () => parseMailgunEvent(event);
  }

  /** @param signature the field of the body, of any type */
  private check(account: Account, signature: unknown): void {
    const read = readMailgunSignature(signature, this.clock.now());
    if (typeof read === 'string') this.events.refuseSignature(account, read);
    if (!hasMailgunSigned(account.keys, read)) this.events.refuseSignature(account, 'wrong-signature');
  }
}
