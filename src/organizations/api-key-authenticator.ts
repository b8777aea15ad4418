import { Inject, Injectable } from '@nestjs/common';
import type { OnApplicationShutdown } from '@nestjs/common';
import { CLOCK, MONOTONIC_CLOCK, type Clock } from '../platform/clock/clock.js';
import { Database } from '../platform/database/database.js';
import { LookupCache } from '../platform/database/lookup-cache.js';
import { LOGGER, type Logger } from '../platform/logging/logger.js';
import { readKey, sameHash } from './key-format.js';
import type { DocumentsTogether } from './budgets/render-budget.js';
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
  /**
   * Reserves bytes of the memory for request bodies, until the response.
   * @throws TooManyBodyBytesError, BodyShareExceededError
   */
  readonly reserve?: (bytes: number) => void;
  /**
   * For a change after a step that can take seconds, such as a call to another server.
   * @throws DomainError if the request would no longer be admitted
   */
  readonly checkAgain?: () => Promise<void>;
  /** The documents of a batch. */
  readonly documents?: DocumentsTogether;
}

/** Why an operator stopped the organization; null if it is not suspended. */
export function suspensionOf({ suspended, pauseReason }: Pick<Caller, 'suspended' | 'pauseReason'>): string | null {
  return suspended ? (pauseReason ?? 'ask the operator') : null;
}

/** Shorter than the 5 seconds after which a revoked key must be refused everywhere. */
const CACHE_MS = 3_000;
const MAX_CACHED_KEYS = 10_000;
const LAST_USED_INTERVAL_MS = 30_000;

/** $1 keys, $2 times. Locks in the order of the keys: several processes store the uses of the same ones. */
const STORE_LAST_USES = `
with locked as materialized (
  select k.id, u.used_at from unnest($1::text[], $2::timestamptz[]) as u (id, used_at)
    join api_keys k on k.id = u.id and (k.last_used_at is null or k.last_used_at < u.used_at)
   order by k.id for no key update of k
)
update api_keys k set last_used_at = greatest(k.last_used_at, locked.used_at) from locked where k.id = locked.id`;

/** Authenticates API keys. Caches keys for a few seconds, so that not every request needs a query. */
@Injectable()
export class ApiKeyAuthenticator implements OnApplicationShutdown {
  private readonly cache: LookupCache<KeyRow | undefined>;
  private readonly lastUsed = new Map<string, number>();
  private writeDueAt = 0;
  private writeTimer: NodeJS.Timeout | undefined;
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
    this.write();
    await this.writing;
    clearTimeout(this.writeTimer);
  }

  private recordUse(id: string): void {
    this.lastUsed.set(id, this.clock.now());
    if (this.writeDueAt <= this.monotonicClock.now()) this.write();
    else this.writeWhenDue();
  }

  /** Perhaps no request follows. */
  private writeWhenDue(): void {
    this.writeTimer ??= setTimeout(() => this.write(), this.writeDueAt - this.monotonicClock.now()).unref();
  }

  private write(): void {
    clearTimeout(this.writeTimer);
    this.writeTimer = undefined;
    this.writeDueAt = this.monotonicClock.now() + LAST_USED_INTERVAL_MS;
    this.writing = this.writing.then(() => this.writeLastUsed());
  }

  private async writeLastUsed(): Promise<void> {
    const used = [...this.lastUsed];
    this.lastUsed.clear();
    if (used.length === 0) return;
    const ids = used.map(([id]) => id);
    const times = used.map(([, time]) => new Date(time));
    try {
      await this.database.query(STORE_LAST_USES, [ids, times]);
    } catch (error) {
      for (const [id, time] of used) if (!this.lastUsed.has(id)) this.lastUsed.set(id, time);
      this.writeWhenDue();
      this.logger.warn({ err: error }, 'The last use of API keys could not be stored');
    }
  }
}
