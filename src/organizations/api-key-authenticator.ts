import { Inject, Injectable } from '@nestjs/common';
import type { OnApplicationShutdown } from '@nestjs/common';
import { CLOCK, MONOTONIC_CLOCK, type Clock } from '../platform/clock/clock.js';
import { Database } from '../platform/database/database.js';
import { LookupCache } from '../platform/database/lookup-cache.js';
import { LOGGER, type Logger } from '../platform/logging/logger.js';
import { readKey, sameHash } from './key-format.js';
import type { KeyLimits } from './key-limits.js';
import type { UserRole } from '../users/user-roles.js';
import { KeyRows, type KeyRow } from './key-rows.js';

/** The authenticated caller of a request: a key or a signed-in user, and the organization. */
export interface Caller extends KeyLimits {
  readonly actor: { readonly kind: 'key' | 'user'; readonly id: string };
  /** The session of a signed-in user. */
  readonly session?: { readonly id: string; readonly role: UserRole };
  readonly organizationId: string;
  readonly plan: string;
  /** Why the organization may not send, if it is paused. */
  readonly pauseReason: string | null;
  /** True when an operator stopped the organization; then `pauseReason` says why. */
  readonly suspended: boolean;
  /** ID of the request. */
  readonly requestId?: string;
  /** Returns true once the client has closed the connection. */
  readonly hasGone?: () => boolean;
}

/** Shorter than the 5 seconds after which a revoked key must be refused everywhere. */
const CACHE_MS = 3_000;
const MAX_CACHED_KEYS = 10_000;
const LAST_USED_INTERVAL_MS = 30_000;

/** Authenticates API keys. Caches keys for a few seconds, so that not every request needs a query. */
@Injectable()
export class ApiKeyAuthenticator implements OnApplicationShutdown {
  private readonly cache: LookupCache<KeyRow | undefined>;
  private readonly lastUsed = new Map<string, number>();
  private writeDueAt = 0;
  private writing: Promise<void> = Promise.resolve();

  constructor(
    private readonly database: Database,
    private readonly rows: KeyRows,
    @Inject(CLOCK) private readonly clock: Clock,
    @Inject(MONOTONIC_CLOCK) private readonly monotonicClock: Clock,
    @Inject(LOGGER) private readonly logger: Logger,
  ) {
    this.cache = new LookupCache(monotonicClock, CACHE_MS, MAX_CACHED_KEYS);
  }

  /**
   * Returns undefined when the key is unknown, revoked, expired or wrong.
   * @param isSuspect true for a key that is probably a guess: its query is batched, which takes longer
   */
  async identify(text: string, isSuspect: boolean): Promise<Caller | undefined> {
    const presented = readKey(text);
    if (!presented) return undefined;
    const known = await this.cache.find(presented.id, () =>
      isSuspect ? this.rows.findInBatch(presented.id) : this.rows.find(presented.id),
    );
    if (!known || !sameHash(known.secretHash, presented.secretHash)) return undefined;
    if (known.expiresAt !== null && known.expiresAt.getTime() <= this.clock.now()) return undefined;
    this.recordUse(presented.id);
    const { id, organizationId, plan, pauseReason, suspended } = known;
    const { scopes, expiresAt, allowedDomains, allowedAddresses } = known;
    return {
      actor: { kind: 'key', id },
      ...{ organizationId, plan, pauseReason, suspended, scopes, expiresAt, allowedDomains, allowedAddresses },
    };
  }

  async onApplicationShutdown(): Promise<void> {
    await this.writing;
    await this.writeLastUsed();
  }

  private recordUse(id: string): void {
    this.lastUsed.set(id, this.clock.now());
    const now = this.monotonicClock.now();
    if (now < this.writeDueAt) return;
    this.writeDueAt = now + LAST_USED_INTERVAL_MS;
    this.writing = this.writeLastUsed();
  }

  private async writeLastUsed(): Promise<void> {
    const used = [...this.lastUsed];
    this.lastUsed.clear();
    if (used.length === 0) return;
    const ids = used.map(([id]) => id);
    const times = used.map(([, time]) => new Date(time));
    try {
      await this.database.query(
        `update api_keys k set last_used_at = u.used_at
           from unnest($1::text[], $2::timestamptz[]) as u (id, used_at)
          where k.id = u.id and (k.last_used_at is null or k.last_used_at < u.used_at)`,
        [ids, times],
      );
    } catch (error) {
      this.logger.warn({ err: error }, 'The last use of API keys could not be stored');
    }
  }
}
