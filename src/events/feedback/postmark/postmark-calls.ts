import { Injectable } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { isSameSecret } from '../../../platform/encryption/secret-digest.js';
import { DomainError } from '../../../platform/errors/domain-error.js';
import type { RawBody } from '../../../platform/http/request-check.js';
import type { EventAccount, EventCalls } from '../event-calls.js';
import { parseBody } from '../parse-body.js';
import { ProviderEventMetrics } from '../provider-event-metrics.js';
import { ProviderEvents } from '../provider-events.js';
import { parsePostmarkEvent, type ParsedPostmarkEvent } from './parse-postmark-event.js';

/** An event has one or two kilobytes. A bounce may include the returned message. */
export const POSTMARK_BODY: RawBody = { mediaType: 'application/json', maxBytes: 1024 * 1024 };
/** An event has about thirty, with the metadata of other software at most a few more. */
const MAX_VALUES = 20_000;

/** In a 401, by which a client learns that it has to send a user and a password. */
export const POSTMARK_CHALLENGE = 'Basic realm="Mailbeacon webhooks", charset="UTF-8"';

class InvalidCredentialsError extends DomainError {
  constructor() {
    super('unauthorized', 'Invalid or missing user and password');
  }
}

type Account = EventAccount<'postmark'>;

/**
 * Calls of Postmark's webhooks, with a user and password (RFC 7617). Postmark signs nothing. It makes a call once that
 * gets 401, as after any status from 400 to 499 except 408 and 429.
 */
@Injectable()
export class PostmarkCalls implements EventCalls<'postmark'> {
  readonly body = POSTMARK_BODY;

  constructor(
    private readonly events: ProviderEvents,
    private readonly metrics: ProviderEventMetrics,
  ) {}

  admit(account: Account, { headers }: FastifyRequest, reply: FastifyReply): void {
    const [, encoded] = /^basic +([A-Za-z0-9+/]+=*) *$/i.exec(headers.authorization ?? '') ?? [];
    if (encoded === undefined) this.refuse(account, 'unsigned', reply);
    const given = Buffer.from(encoded, 'base64');
    // Each is compared, so that the time does not show which one is right.
    const matches = account.keys.filter((one) => isSameSecret(one, given));
    if (matches.length === 0) this.refuse(account, 'wrong-signature', reply);
  }

  /** The headers have verified the call. */
  verify(account: Account, request: FastifyRequest): () => ParsedPostmarkEvent[] {
    return () => this.read(account, request);
  }

  private read(account: Account, request: FastifyRequest): ParsedPostmarkEvent[] {
    const body = parseBody(request, MAX_VALUES) ?? this.events.refuseValues(account);
    return [parsePostmarkEvent(body.parsed)];
  }

  private refuse(account: Account, outcome: 'unsigned' | 'wrong-signature', reply: FastifyReply): never {
    this.metrics.countCall(account, outcome);
    void reply.header('www-authenticate', POSTMARK_CHALLENGE);
    throw new InvalidCredentialsError();
  }
}
