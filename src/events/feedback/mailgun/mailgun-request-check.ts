import { Inject, Injectable } from '@nestjs/common';
import { CLOCK, type Clock } from '../../../platform/clock/clock.js';
import { SETTINGS, type Settings } from '../../../platform/config/settings.js';
import { DomainError } from '../../../platform/errors/domain-error.js';
import type { RequestCheck } from '../../../platform/http/request-check.js';
import { ProviderEventMetrics } from '../provider-event-metrics.js';
import { hasMailgunSigned, readMailgunSignature } from './mailgun-signature.js';

class WebhooksNotSetUpError extends DomainError {
  constructor() {
    super('not-found', 'Not found');
  }
}

/** The same response for a missing, malformed, outdated and wrong signature. */
class InvalidSignatureError extends DomainError {
  constructor() {
    super('unauthorized', 'Invalid or missing signature');
  }
}

/** Refuses calls that Mailgun did not sign. The signature is in the body, so only its absence is known before. */
@Injectable()
export class MailgunRequestCheck implements RequestCheck {
  constructor(
    @Inject(SETTINGS) private readonly settings: Pick<Settings, 'MAILGUN_EVENT_SIGNING_KEY'>,
    @Inject(CLOCK) private readonly clock: Clock,
    private readonly metrics: ProviderEventMetrics,
  ) {}

  admit(): void {
    if (!this.settings.MAILGUN_EVENT_SIGNING_KEY) throw new WebhooksNotSetUpError();
  }

  /** @param signature the field of the body, of any type */
  verify(signature: unknown): void {
    const read = readMailgunSignature(signature, this.clock.now());
    if (typeof read === 'string') this.refuse(read);
    if (!hasMailgunSigned(this.settings.MAILGUN_EVENT_SIGNING_KEY ?? [], read)) this.refuse('wrong-signature');
  }

  refuse(outcome: 'unsigned' | 'stale' | 'wrong-signature'): never {
    this.metrics.countCall('mailgun', outcome);
    throw new InvalidSignatureError();
  }
}
