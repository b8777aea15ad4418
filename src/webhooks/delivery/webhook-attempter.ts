import { setTimeout } from 'node:timers/promises';
import { Inject, Injectable } from '@nestjs/common';
import { CLOCK, type Clock } from '../../platform/clock/clock.js';
import { DecryptionError, SecretBox } from '../../platform/encryption/secret-box.js';
import { LOGGER, type Logger } from '../../platform/logging/logger.js';
import { WEBHOOK_LEASE_MS, type ClaimedWebhookDelivery } from './claim-deliveries.js';
import { openSecrets } from '../webhook-secrets.js';
import { signedHeaders } from './webhook-signature.js';
import type { Settled } from './webhook-settlement.js';
import { WebhookOutcomes } from './webhook-outcomes.js';
import { WebhookRequests, type RequestResult } from './webhook-requests.js';

const SETTLE_PAUSE_MS = 1_000;
/** How long an endpoint waits whose secret cannot be read: an operator has to act. */
const UNREADABLE_PAUSE_MS = 300_000;

/** One attempt, as steps that can be read aloud: open the secret, sign, post, settle. */
@Injectable()
export class WebhookAttempter {
  constructor(
    private readonly box: SecretBox,
    private readonly requests: WebhookRequests,
    private readonly outcomes: WebhookOutcomes,
    @Inject(CLOCK) private readonly clock: Clock,
    @Inject(LOGGER) private readonly logger: Logger,
  ) {}

  /** True when the receiver has taken it. */
  async attempt(delivery: ClaimedWebhookDelivery): Promise<boolean> {
    const begun = performance.now();
    const keys = this.keysOf(delivery);
    if (!keys) {
      await this.outcomes.postpone(delivery, UNREADABLE_PAUSE_MS);
      return false;
    }
    const startedAt = this.clock.now();
    const headers = signedHeaders(delivery.id, startedAt, delivery.body, keys);
    const result = await this.requests.post(delivery, headers, startedAt);
    const settled = await this.settle(delivery, result, begun);
    if (settled) this.tell(delivery, result, settled);
    return result.kind === 'delivered';
  }

  /** Only here is known what the receiver said: while Postgres is away it is kept until the lease is nearly over. */
  private async settle(
    delivery: ClaimedWebhookDelivery,
    result: RequestResult,
    begun: number,
  ): Promise<Settled | undefined> {
    for (;;) {
      try {
        return await this.outcomes.settle(delivery, result);
      } catch (error) {
        if (performance.now() - begun > WEBHOOK_LEASE_MS - 2 * SETTLE_PAUSE_MS) throw error;
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

  private tell(
    { id, endpointId }: ClaimedWebhookDelivery,
    result: RequestResult,
    { attempt, disabled }: Settled,
  ): void {
    const { status, durationMs, error } = result.attempt;
    const facts = { deliveryId: id, endpointId, attempt, status, ms: durationMs };
    if (error === null) this.logger.info(facts, 'Webhook delivered');
    else this.logger.warn({ ...facts, reason: error }, 'Webhook attempt failed');
    if (disabled) this.logger.warn({ endpointId, reason: disabled }, 'Webhook disabled');
  }
}
