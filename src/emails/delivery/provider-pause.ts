import type { Clock } from '../../platform/clock/clock.js';
import type { Logger } from '../../platform/logging/logger.js';
import type { RedisConnection } from '../../platform/redis/connect.js';
import { PAUSE_CAUSES, providerPauseKey, type PauseCause } from './provider-pause-key.js';

/** How stale our view of another worker's pause may be. */
const CHECK_EVERY_MS = 1_000;
/** Pauses with less than this time between them count as one, unless the provider accepted an email meanwhile. */
const GAP_MS = 600_000;

/*
 * KEYS: the pause, and when the provider stopped accepting mail, by the clock of Redis. A short pause does not end a
 * longer one that another worker began. ARGV: the cause and the milliseconds of the pause, and the gap.
 */
const BEGIN = `
local time = redis.call('TIME')
if redis.call('PTTL', KEYS[1]) < tonumber(ARGV[2]) then redis.call('SET', KEYS[1], ARGV[1], 'PX', ARGV[2]) end
redis.call('SET', KEYS[2], time[1] * 1000 + math.floor(time[2] / 1000), 'NX')
redis.call('PEXPIRE', KEYS[2], redis.call('PTTL', KEYS[1]) + ARGV[3])
`;

/** How long the pause still lasts, its cause, and for how long the provider has accepted no mail, in milliseconds. */
const READ = `
local time = redis.call('TIME')
local since = redis.call('GET', KEYS[2])
local now = time[1] * 1000 + math.floor(time[2] / 1000)
return {redis.call('PTTL', KEYS[1]), redis.call('GET', KEYS[1]), since and now - since or 0}
`;

type ReadPause = [remainingMs: number, cause: string | null, refusedForMs: number];

const keysOf = (id: string): readonly [pause: string, since: string] => {
  const key = providerPauseKey(id);
  return [key, `${key}:since`];
};

/** The pauses of providers that this worker need not have opened, in the order of their IDs. */
export async function readPauses(
  redis: RedisConnection,
  ids: readonly string[],
): Promise<readonly { readonly remainingMs: number; readonly refusedForMs: number }[]> {
  if (ids.length === 0) return [];
  const pipeline = redis.pipeline();
  for (const id of ids) pipeline.eval(READ, 2, ...keysOf(id));
  return ((await pipeline.exec()) ?? []).map(([error, read]) => {
    if (error) throw error;
    const [remainingMs, , refusedForMs] = read as ReadPause;
    return { remainingMs, refusedForMs };
  });
}

/**
 * While a provider throttles or refuses our credential, no worker calls it. The pause is shared through Redis and
 * also kept in memory, so that an outage of Redis cannot flood the provider.
 */
export class ProviderPause {
  private readonly keys: readonly [pause: string, since: string];
  private refusedForMs = 0;
  private pausedUntil = 0;
  private cause: PauseCause = 'throttled';
  /** Causes logged since the provider last accepted an email: a lasting problem is one log line, not one per email. */
  private readonly logged = new Set<PauseCause>();
  private checkedAt = -Infinity;
  private checking: Promise<void> | undefined;

  /**
   * @param id of the provider
   * @param clock monotonic
   * @param isOfOrganization true if an organization must repair it, not the operator
   */
  constructor(
    private readonly id: string,
    private readonly redis: RedisConnection,
    private readonly clock: Clock,
    private readonly logger: Logger,
    private readonly isOfOrganization = false,
  ) {
    this.keys = keysOf(id);
  }

  async begin(milliseconds: number, cause: PauseCause): Promise<void> {
    this.extend(this.clock.now() + milliseconds, cause);
    this.logOnce(cause, milliseconds);
    try {
      await this.redis.eval(BEGIN, 2, ...this.keys, cause, Math.max(1, Math.round(milliseconds)), GAP_MS);
    } catch (error) {
      this.logger.warn({ err: error }, 'Could not share the pause with other workers');
    }
  }

  /** The provider accepted an email. Calls that were in flight when a pause began do not end it. */
  accepted(): void {
    if ((this.logged.size === 0 && this.refusedForMs === 0) || this.clock.now() < this.pausedUntil) return;
    this.refusedForMs = 0;
    void this.redis.del(this.keys[1]).catch(() => undefined);
    if (this.logged.size === 0) return;
    this.logged.clear();
    this.logger.info({ provider: this.id }, 'The provider accepts mail again');
  }

  /** Milliseconds until the provider may be called again; 0 when it may be called now. */
  async remainingMs(): Promise<number> {
    const now = this.clock.now();
    if (now - this.checkedAt >= CHECK_EVERY_MS) {
      this.checkedAt = now;
      this.checking = this.check(now).finally(() => (this.checking = undefined));
    }
    // Concurrent callers wait for the running check, because the previous value is too old for them as well.
    await this.checking;
    return Math.max(0, this.pausedUntil - now);
  }

  /** True once all pauses together, without an accepted email between them, have lasted this long. */
  hasLasted(milliseconds: number): boolean {
    return this.refusedForMs > milliseconds;
  }

  /** True while the provider is paused because it refuses the credential. */
  get isOfCredential(): boolean {
    return this.cause === 'credential-refused' && this.clock.now() < this.pausedUntil;
  }

  /** The remaining milliseconds per cause, every cause included. */
  async remainingByCause(): Promise<Readonly<Record<PauseCause, number>>> {
    const remainingMs = await this.remainingMs();
    return { throttled: 0, 'credential-refused': 0, [this.cause]: remainingMs };
  }

  private async check(now: number): Promise<void> {
    try {
      const [remaining, cause, refusedForMs] = (await this.redis.eval(READ, 2, ...this.keys)) as ReadPause;
      this.refusedForMs = refusedForMs;
      if (remaining > 0) {
        this.extend(now + remaining, PAUSE_CAUSES.find((known) => known === cause) ?? 'throttled');
      }
    } catch (error) {
      this.logger.debug({ err: error }, 'Could not check for a pause');
    }
  }

  private extend(until: number, cause: PauseCause): void {
    if (until <= this.pausedUntil) return;
    this.pausedUntil = until;
    this.cause = cause;
  }

  /** Omits the provider's response, which may contain an address; it is stored with the email. */
  private logOnce(cause: PauseCause, pauseMs: number): void {
    if (this.logged.has(cause)) return;
    this.logged.add(cause);
    const fields = { provider: this.id, cause, pauseMs };
    if (this.isOfOrganization) this.logger.info(fields, 'Deliveries of an organization paused by its own provider');
    else if (cause === 'throttled') this.logger.warn(fields, 'Deliveries paused');
    else this.logger.error(fields, 'Deliveries paused: the provider refuses our credential');
  }
}
