import { randomUUID } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { Database } from '../../platform/database/database.js';
import { CLAIM_DUE, CLAIM_WOKEN } from './claim-statements.js';

/** A delivery that this process may attempt until its lease ends. */
export interface ClaimedWebhookDelivery {
  readonly id: string;
  readonly endpointId: string;
  readonly organizationId: string;
  readonly leaseToken: string;
  readonly url: string;
  readonly body: string;
  readonly retries: number;
  readonly sealedSecret: string;
  /** Null when no previous secret still signs. */
  readonly sealedPreviousSecret: string | null;
  /** True when its endpoint failed last time or is slow. Such deliveries share a small part of the slots. */
  readonly unhealthy: boolean;
  /** A test is attempted once, even while its endpoint is paused, and does not change the endpoint's state. */
  readonly isTest: boolean;
}

/** Free capacity of a process, and its attempts in flight. */
export interface FreeSlots {
  readonly healthy: number;
  readonly unhealthy: number;
  readonly perEndpoint: number;
  /** Attempts in flight in this process, by endpoint. */
  readonly running: ReadonlyMap<string, number>;
  /** Endpoints that respond slowly to this process, even when they do not fail. */
  readonly slow: readonly string[];
}

/** Deadline of a request, from the DNS lookup to the last byte of the response. */
export const WEBHOOK_REQUEST_MS = 15_000;

/**
 * An attempt should be recorded within its lease. Otherwise the worker counts as dead and the delivery is due again.
 * The margin is for a busy process. It is short, because the delivery of a killed worker waits for the whole lease, and
 * so does the endpoint if the delivery was a probe. Measured by the Postgres clock.
 */
const WEBHOOK_LEASE_MS = WEBHOOK_REQUEST_MS + 10_000;

/**
 * Claims due deliveries: pending ones of endpoints that are enabled and not paused, and tests even of paused ones. A
 * claim moves `next_attempt_at` to the end of the lease, so no other worker claims the delivery. It counts no attempt.
 */
@Injectable()
export class DueDeliveries {
  constructor(private readonly database: Database) {}

  /** Claims those of the given deliveries that are due, as far as slots are free. */
  async claimWoken(ids: readonly string[], slots: FreeSlots): Promise<ClaimedWebhookDelivery[]> {
    if (isFull(slots)) return [];
    return this.database.prepared<ClaimedWebhookDelivery>('claim-woken-webhooks', CLAIM_WOKEN, [
      ...valuesOf(slots),
      ids,
    ]);
  }

  /** Claims due deliveries of all endpoints, in turns: each endpoint gets its n-th slot before any gets one more. */
  async claimDue(slots: FreeSlots): Promise<ClaimedWebhookDelivery[]> {
    if (isFull(slots)) return [];
    return this.database.prepared<ClaimedWebhookDelivery>('claim-due-webhooks', CLAIM_DUE, valuesOf(slots));
  }
}

const isFull = ({ healthy, unhealthy }: FreeSlots): boolean => healthy <= 0 && unhealthy <= 0;

function valuesOf({ healthy, unhealthy, perEndpoint, running, slow }: FreeSlots): unknown[] {
  const counts = [...running.values()];
  return [randomUUID(), WEBHOOK_LEASE_MS, healthy, unhealthy, perEndpoint, [...running.keys()], counts, slow];
}
