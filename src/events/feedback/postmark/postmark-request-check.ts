import { createHash, timingSafeEqual } from 'node:crypto';
import { Inject, Injectable } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { SETTINGS, type Settings } from '../../../platform/config/settings.js';
import { DomainError } from '../../../platform/errors/domain-error.js';
import type { RequestCheck } from '../../../platform/http/request-check.js';
import { EventsNotSetUpError } from '../provider-call-errors.js';
import { ProviderEventMetrics } from '../provider-event-metrics.js';

class InvalidCredentialsError extends DomainError {
  constructor() {
    super('unauthorized', 'Invalid or missing user and password');
  }
}

/**
 * Admits only calls with the user and password of a webhook (RFC 7617). Postmark signs nothing. It makes a call once
 * that gets 401, as after any status from 400 to 499 except 408 and 429.
 */
@Injectable()
export class PostmarkRequestCheck implements RequestCheck {
  constructor(
    @Inject(SETTINGS) private readonly settings: Pick<Settings, 'POSTMARK_EVENT_CREDENTIALS'>,
    private readonly metrics: ProviderEventMetrics,
  ) {}

  admit({ headers }: FastifyRequest, reply: FastifyReply): void {
    const { POSTMARK_EVENT_CREDENTIALS: accepted } = this.settings;
    if (!accepted) throw new EventsNotSetUpError();
    const [, encoded] = /^basic +([A-Za-z0-9+/]+=*) *$/i.exec(headers.authorization ?? '') ?? [];
    if (encoded === undefined) this.refuse('unsigned', reply);
    const given = digest(Buffer.from(encoded, 'base64'));
    // Digests have equal lengths, and each is compared, so the time of the comparison reveals nothing.
    const matches = accepted.filter((one) => timingSafeEqual(digest(one), given));
    if (matches.length === 0) this.refuse('wrong-signature', reply);
  }

  private refuse(outcome: 'unsigned' | 'wrong-signature', reply: FastifyReply): never {
    this.metrics.countCall('postmark', outcome);
    void reply.header('www-authenticate', 'Basic realm="Mailbeacon webhooks", charset="UTF-8"');
    throw new InvalidCredentialsError();
  }
}

function digest(text: string | Buffer): Buffer {
  return createHash('sha256').update(text).digest();
}
