import { randomUUID } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { Database } from '../../platform/database/database.js';
import { CLAIM_DUE, CLAIM_WOKEN } from './claim-statements.js';

/** A delivery that is ours to attempt until its lease ends. */
export interface ClaimedWebhookDelivery {
  readonly id: string;
  readonly endpointId: string;
  readonly leaseToken: string;
  readonly url: string;
  readonly body: string;
  readonly retries: number;
  readonly sealedSecret: string;
  /** Null when there is none that still signs. */
  readonly sealedPreviousSecret: string | null;
  /** Its endpoint failed last time, or is slow: such deliveries have few places, so that others have most. */
  readonly troubled: boolean;
  /** Attempted once, whether or not its endpoint is paused; its outcome changes nothing of the endpoint. */
  readonly isTest: boolean;
}

/** What a process can take on, and what it has at hand. */
export interface FreePlaces {
  readonly healthy: number;
  readonly troubled: number;
  readonly perEndpoint: number;
  /** Attempts under way here, by endpoint. */
  readonly running: ReadonlyMap<string, number>;
  /** Endpoints that are slow to answer here, however well they are. */
  readonly slow: readonly string[];
}

/**
 * An attempt must be over and recorded by then; else its worker is taken for dead and the delivery is due again.
 * By the clock of Postgres.
 */
export const WEBHOOK_LEASE_MS = 45_000;

/**
 * Takes what is due: pending deliveries of endpoints that are enabled and not paused, and tests of paused ones. Taking one moves it to the end
 * of its lease, so nobody else sees it, and counts no attempt.
 */
@Injectable()
export class DueDeliveries {
  constructor(private readonly database: Database) {}

  /** Takes those of the deliveries that are due and have a place. */
  async claimWoken(ids: readonly string[], places: FreePlaces): Promise<ClaimedWebhookDelivery[]> {
    if (isFull(places)) return [];
    return this.database.prepared<ClaimedWebhookDelivery>('claim-woken-webhooks', CLAIM_WOKEN, [
      ...valuesOf(places),
      ids,
    ]);
  }

  /** Takes what is due anywhere, the same number of every endpoint before one more of any. */
  async claimDue(places: FreePlaces): Promise<ClaimedWebhookDelivery[]> {
    if (isFull(places)) return [];
    return this.database.prepared<ClaimedWebhookDelivery>('claim-due-webhooks', CLAIM_DUE, valuesOf(places));
  }
}

const isFull = ({ healthy, troubled }: FreePlaces): boolean => healthy <= 0 && troubled <= 0;

function valuesOf({ healthy, troubled, perEndpoint, running, slow }: FreePlaces): unknown[] {
  const counts = [...running.values()];
  return [randomUUID(), WEBHOOK_LEASE_MS, healthy, troubled, perEndpoint, [...running.keys()], counts, slow];
}
