import { Inject, Injectable } from '@nestjs/common';
import { SETTINGS, type RunSettings } from '../../platform/config/settings.js';

/**
 * What happens when nobody can know whether the provider accepted: no provider offers an idempotency key, so the
 * window can only be made small and visible. By default one resend, late enough for the truth to show, under the
 * same Message-ID and flagged; a second doubt ends the email.
 */
@Injectable()
export class AmbiguityPolicy {
  constructor(@Inject(SETTINGS) private readonly settings: RunSettings) {}

  /** Milliseconds until the one resend; undefined when there must be none. */
  resendAfterMs(wasResent: boolean): number | undefined {
    if (wasResent || this.settings.AMBIGUOUS_SEND === 'hold') return undefined;
    return this.settings.AMBIGUOUS_RESEND_AFTER_MS;
  }
}
