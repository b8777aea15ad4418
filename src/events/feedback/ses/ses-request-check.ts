import { Inject, Injectable } from '@nestjs/common';
import { CLOCK, type Clock } from '../../../platform/clock/clock.js';
import { SETTINGS, type Settings } from '../../../platform/config/settings.js';
import { DomainError } from '../../../platform/errors/domain-error.js';
import type { RequestCheck } from '../../../platform/http/request-check.js';
import { EventsNotSetUpError, InvalidSignatureError } from '../provider-call-errors.js';
import { ProviderEventMetrics } from '../provider-event-metrics.js';
import { SnsCertificates } from './sns-certificates.js';
import { isSignedWith, readSnsMessage, snsCertificateUrl, type SnsMessage } from './sns-message.js';

class NoCertificateError extends DomainError {
  override readonly retryAfterSeconds = 30;

  constructor() {
    super('unavailable', 'The certificate of the signature could not be fetched: please send the message again');
  }
}

/** SNS repeats a message for an hour at most. The rest allows for a wrong clock. */
const MAX_AGE_MS = 24 * 60 * 60_000;
const MAX_AHEAD_MS = 10 * 60_000;

/** Refuses messages that SNS did not sign for a listed topic. Headers are not signed, so they decide nothing. */
@Injectable()
export class SesRequestCheck implements RequestCheck {
  constructor(
    @Inject(SETTINGS) private readonly settings: Pick<Settings, 'SES_EVENT_TOPICS'>,
    @Inject(CLOCK) private readonly clock: Clock,
    private readonly certificates: SnsCertificates,
    private readonly metrics: ProviderEventMetrics,
  ) {}

  admit(): void {
    if (!this.settings.SES_EVENT_TOPICS) throw new EventsNotSetUpError();
  }

  /** Reads a verified message. Fetches a certificate only if all else is right. @param value the parsed body */
  async verify(value: unknown): Promise<SnsMessage> {
    const message = readSnsMessage(value);
    const url = message && snsCertificateUrl(message.certificateUrl);
    if (!message || !url) this.refuse('unsigned');
    if (!this.settings.SES_EVENT_TOPICS?.includes(message.topic)) this.refuse('wrong-signature');
    const age = this.clock.now() - message.time;
    if (age > MAX_AGE_MS || age < -MAX_AHEAD_MS) this.refuse('stale');
    const key = await this.certificates.keyOf(url);
    if (!key) {
      this.metrics.countCall('ses', 'no-certificate');
      throw new NoCertificateError();
    }
    if (!isSignedWith(key, message)) this.refuse('wrong-signature');
    return message;
  }

  refuse(outcome: 'unsigned' | 'stale' | 'wrong-signature'): never {
    this.metrics.countCall('ses', outcome);
    throw new InvalidSignatureError();
  }
}
