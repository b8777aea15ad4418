import { setTimeout } from 'node:timers/promises';
import { Inject, Injectable } from '@nestjs/common';
import type { Clock } from '../../platform/clock/clock.js';
import { POSTGRES_CLOCK } from '../../platform/database/postgres-clock.js';
import { DecryptionError, SecretBox } from '../../platform/encryption/secret-box.js';
import { LOGGER, type Logger } from '../../platform/logging/logger.js';
import type { ClaimedWebhookDelivery } from './claim-deliveries.js';
import { openSecrets } from '../webhook-secrets.js';
import { signedHeaders } from './webhook-signature.js';
import type { Settled } from './webhook-settlement.js';
import { WebhookOutcomes } from './webhook-outcomes.js';
import { WebhookRequests, type RequestResult } from './webhook-requests.js';

const SETTLE_PAUSE_MS = 1_000;
/** Longest time from the claim to the last try to record the result. */
const SETTLE_WITHIN_MS = 43_000;
/** Pause of an endpoint whose secret cannot be decrypted. An operator has to restore the key. */
const UNREADABLE_PAUSE_MS = 300_000;

/** Runs one attempt: open the secret, sign, post, settle. */
@Injectable()
export class WebhookAttempter {
  constructor(
    private readonly box: SecretBox,
    private readonly requests: WebhookRequests,
    private readonly outcomes: WebhookOutcomes,
    @Inject(POSTGRES_CLOCK) private readonly clock: Clock,
    @Inject(LOGGER) private readonly logger: Logger,
  ) {}

  /** Returns true when the receiver accepted the delivery. */
  async attempt(delivery: ClaimedWebhookDelivery): Promise<boolean> {
    const claimedAt = performance.now();
    const keys = this.keysOf(delivery);
    if (!keys) {
      await this.outcomes.postpone(delivery, UNREADABLE_PAUSE_MS);
      return false;
    }
    const startedAt = this.clock.now();
    const headers = signedHeaders(delivery.id, startedAt, delivery.body, keys);
    const result = await this.requests.post(delivery, headers, startedAt);
    const settled = await this.settle(delivery, result, claimedAt);
    if (settled) this.log(delivery, result, settled);
    return result.kind === 'delivered';
  }

  /**
   * The result exists only in memory, so recording it is retried while Postgres is unavailable. Beyond the lease, it is
   * recorded if no other worker has claimed the delivery.
   */
  private async settle(
    delivery: ClaimedWebhookDelivery,
    result: RequestResult,
    claimedAt: number,
  ): Promise<Settled | undefined> {
    for (;;) {
      try {
        return await this.outcomes.settle(delivery, result);
      } catch (error) {
        if (performance.now() - claimedAt > SETTLE_WITHIN_MS) throw error;
        await setTimeout(SETTLE_PAUSE_MS);
      }
    }
  }

  private keysOf({ id, endpointId, sealedSecret, sealedPreviousSecret }: ClaimedWebhookDelivery): Buffer[] | undefined {
    try {
      return openSecrets(this.box, endpointId, sealedSecret, sealedPreviousSecret);
    } catch (error) {
      if (!(error instanceof DecryptionError)) throw error;
      this.logger.error({ deliveryId: id, endpointId, err: error }, 'The secret of a webhook cannot be read');
      return undefined;
    }
  }

  private log({ id, endpointId }: ClaimedWebhookDelivery, result: RequestResult, { attempt, disabled }: Settled): void {
    const { status, durationMs, error } = result.attempt;
    const facts = { deliveryId: id, endpointId, attempt, status, ms: durationMs };
    if (error === null) this.logger.info(facts, 'Webhook delivered');
    else this.logger.warn({ ...facts, reason: error }, 'Webhook attempt failed');
    if (disabled) this.logger.warn({ endpointId, reason: disabled }, 'Webhook disabled');
  }
}
