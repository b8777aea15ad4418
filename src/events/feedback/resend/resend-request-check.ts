import { Inject, Injectable } from '@nestjs/common';
import type { FastifyRequest } from 'fastify';
import { CLOCK, type Clock } from '../../../platform/clock/clock.js';
import { SETTINGS, type Settings } from '../../../platform/config/settings.js';
import type { RequestCheck } from '../../../platform/http/request-check.js';
import { EventsNotSetUpError, InvalidSignatureError } from '../provider-call-errors.js';
import { ProviderEventMetrics } from '../provider-event-metrics.js';
import { isSignedByResend, readResendSignature, type ResendSignature } from './resend-signature.js';

/**
 * Refuses calls that Resend did not sign: it checks the headers before the body is read, and the signature before the
 * body is parsed.
 */
@Injectable()
export class ResendRequestCheck implements RequestCheck {
  constructor(
    @Inject(SETTINGS) private readonly settings: Pick<Settings, 'RESEND_EVENT_SECRET'>,
    @Inject(CLOCK) private readonly clock: Clock,
    private readonly metrics: ProviderEventMetrics,
  ) {}

  admit(request: FastifyRequest): void {
    if (!this.settings.RESEND_EVENT_SECRET) throw new EventsNotSetUpError();
    this.read(request);
  }

  /** @param body the bytes as they arrived @returns the ID of the call, the same in a repeat */
  verify(request: FastifyRequest, body: Buffer): string {
    const signature = this.read(request);
    if (!isSignedByResend(this.settings.RESEND_EVENT_SECRET ?? [], signature, body)) this.refuse('wrong-signature');
    return signature.id;
  }

  private read({ headers }: FastifyRequest): ResendSignature {
    const signature = readResendSignature(headers, this.clock.now());
    return typeof signature === 'string' ? this.refuse(signature) : signature;
  }

  private refuse(outcome: 'unsigned' | 'stale' | 'wrong-signature'): never {
    this.metrics.countCall('resend', outcome);
    throw new InvalidSignatureError();
  }
}
