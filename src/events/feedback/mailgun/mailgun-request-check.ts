import { Inject, Injectable } from '@nestjs/common';
import { CLOCK, type Clock } from '../../../platform/clock/clock.js';
import { SETTINGS, type Settings } from '../../../platform/config/settings.js';
import type { RequestCheck } from '../../../platform/http/request-check.js';
import { EventsNotSetUpError, InvalidSignatureError } from '../provider-call-errors.js';
import { ProviderEventMetrics } from '../provider-event-metrics.js';
import { hasMailgunSigned, readMailgunSignature } from './mailgun-signature.js';

/** Refuses calls that Mailgun did not sign. The signature is in the body, so only its absence is known before. */
@Injectable()
export class MailgunRequestCheck implements RequestCheck {
  constructor(
    @Inject(SETTINGS) private readonly settings: Pick<Settings, 'MAILGUN_EVENT_SIGNING_KEY'>,
    @Inject(CLOCK) private readonly clock: Clock,
    private readonly metrics: ProviderEventMetrics,
  ) {}

  admit(): void {
    if (!this.settings.MAILGUN_EVENT_SIGNING_KEY) throw new EventsNotSetUpError();
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
