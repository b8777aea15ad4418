import { Inject, Injectable } from '@nestjs/common';
import { SETTINGS, type RunSettings } from '../../platform/config/settings.js';

/**
 * Decides about an email whose outcome is unknown. No provider offers an idempotency key, so duplicates can only be
 * made rare and visible.
 * By default the email is resent once, after a delay in which the outcome may still arrive, with the same Message-ID
 * and flagged. A second unknown outcome fails the email.
 */
@Injectable()
export class AmbiguityPolicy {
  constructor(@Inject(SETTINGS) private readonly settings: RunSettings) {}

  /** Milliseconds until the only resend; undefined when there is none. */
  resendAfterMs(wasResent: boolean): number | undefined {
    if (wasResent || this.settings.AMBIGUOUS_SEND === 'hold') return undefined;
    return this.settings.AMBIGUOUS_RESEND_AFTER_MS;
  }
}
