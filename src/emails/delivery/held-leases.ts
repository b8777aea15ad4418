import { randomUUID } from 'node:crypto';
import { Inject, Injectable, type OnApplicationBootstrap, type OnApplicationShutdown } from '@nestjs/common';
import type { Audience } from './claims.js';
import { DeliveryState } from './delivery-state.js';
import { EMAIL_LEASE_MS } from './lease.js';
import { EmailClaim } from './email-claim.js';
import type { LoadedEmail } from './loaded-email.js';
import { LOGGER, type Logger } from '../../platform/logging/logger.js';

const RENEW_EVERY_MS = EMAIL_LEASE_MS / 3;

type ClaimedEmail = Pick<LoadedEmail, 'id' | 'generation' | 'shared'>;

/**
 * The leases of the deliveries that run in this process. They are short, so that a dead worker is detected soon. They
 * are renewed while the process lives, so a slow provider causes no problem. Most deliveries end before the first
 * renewal.
 */
@Injectable()
export class HeldLeases implements OnApplicationBootstrap, OnApplicationShutdown {
  private readonly held = new Set<EmailClaim>();
  private timer?: NodeJS.Timeout;

  constructor(
    private readonly state: DeliveryState,
    @Inject(LOGGER) private readonly logger: Logger,
  ) {}

  onApplicationBootstrap(): void {
    this.timer = setInterval(() => void this.renew(), RENEW_EVERY_MS).unref();
  }

  onApplicationShutdown(): void {
    clearInterval(this.timer);
  }

  /**
   * The claim of one delivery. Its lease is renewed until the caller ends it.
   * @param audience the recipients that the provider is about to get, if any
   */
  begin({ id, generation, shared }: ClaimedEmail, audience?: Audience): EmailClaim {
    const lease = { emailId: id, token: randomUUID(), ...(shared && { isOfBroadcast: true }) };
    const claim = new EmailClaim(this.state, lease, generation, audience);
    this.held.add(claim);
    return claim;
  }

  end(claim: EmailClaim): void {
    this.held.delete(claim);
  }

  private async renew(): Promise<void> {
    const now = performance.now();
    const old = [...this.held].filter(({ since }) => now - since > RENEW_EVERY_MS / 2);
    if (old.length === 0) return;
    try {
      await this.state.renew(old.map(({ lease }) => lease));
    } catch (error) {
      this.logger.warn({ leases: old.length, err: error }, 'Could not renew leases; retrying');
    }
  }
}
