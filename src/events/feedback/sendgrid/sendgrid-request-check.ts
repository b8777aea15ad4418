import { Inject, Injectable } from '@nestjs/common';
import type { FastifyRequest } from 'fastify';
import { CLOCK, type Clock } from '../../../platform/clock/clock.js';
import { SETTINGS, type Settings } from '../../../platform/config/settings.js';
import type { RequestCheck } from '../../../platform/http/request-check.js';
import { EventsNotSetUpError, InvalidSignatureError } from '../provider-call-errors.js';
import { ProviderEventMetrics } from '../provider-event-metrics.js';
import { hasSendGridSigned, readSendGridSignature } from './sendgrid-signature.js';

/**
 * Refuses calls that SendGrid did not sign: it checks the headers before the body is read, and the signature before the
 * body is parsed.
 */
@Injectable()
export class SendGridRequestCheck implements RequestCheck {
  constructor(
    @Inject(SETTINGS) private readonly settings: Pick<Settings, 'SENDGRID_EVENT_PUBLIC_KEY'>,
    @Inject(CLOCK) private readonly clock: Clock,
    private readonly metrics: ProviderEventMetrics,
  ) {}

  admit({ headers }: FastifyRequest): void {
    if (!this.settings.SENDGRID_EVENT_PUBLIC_KEY) throw new EventsNotSetUpError();
    const signature = readSendGridSignature(headers, this.clock.now());
    if (typeof signature === 'string') this.refuse(signature);
  }

  /** @param body the bytes as they arrived */
  verify({ headers }: FastifyRequest, body: Buffer): void {
    const signature = readSendGridSignature(headers, this.clock.now());
    if (typeof signature === 'string') this.refuse(signature);
    if (!hasSendGridSigned(this.settings.SENDGRID_EVENT_PUBLIC_KEY ?? [], signature, body))
      this.refuse('wrong-signature');
  }

  private refuse(outcome: 'unsigned' | 'stale' | 'wrong-signature'): never {
    this.metrics.countCall('sendgrid', outcome);
    throw new InvalidSignatureError();
  }
}
