import type { Redis } from 'ioredis';
import type { Clock } from '../clock/clock.js';
import { OperatorError } from '../errors/operator-error.js';
import type { Logger } from '../logging/logger.js';
import { requireRedisDatabase } from './database-check.js';

/** Maximum age of the checked policy: a failover can lead to a server with another configuration. */
const CHECK_EVERY_MS = 10_000;
/** How long a start waits for the Redis connection before it continues without the check. */
const START_TIMEOUT_MS = 1_000;

/**
 * Checks that Redis does not evict keys. Eviction silently drops jobs and events, so no process starts with it. A
 * running process that finds such a Redis after a failover continues and reports it, because stopping would strand the
 * jobs still in Redis. A Redis without an append-only file loses its data on a restart, which causes a warning. Uses
 * INFO, because hosted servers may forbid CONFIG.
 */
export class RedisPolicy {
  private evicting: string | undefined;
  private checkedAt = -Infinity;
  private latest: Promise<void> = Promise.resolve();

  constructor(
    private readonly redis: Redis,
    private readonly clock: Clock,
    private readonly logger: Logger,
  ) {}

  /**
   * Checks once Redis is connected. A Redis that is down must not prevent a process from starting.
   * @throws OperatorError when Redis evicts keys, or does not have the database of REDIS_URL
   */
  async checkAtStart(): Promise<void> {
    if (!(await this.connects())) return;
    await requireRedisDatabase(this.redis);
    await this.refresh();
    if (this.evicting) {
      throw new OperatorError(
        `Redis at REDIS_URL drops keys when its memory is full (maxmemory-policy ${this.evicting}), and with them jobs and events: set maxmemory-policy to noeviction`,
      );
    }
  }

  /** Checks again on every new connection, which may lead to another server, even without a readiness probe. */
  watch(): void {
    this.redis.on('ready', () => {
      this.latest = this.refresh();
    });
  }

  /** @throws Error when Redis evicts keys, with a message that readiness may show */
  async check(): Promise<void> {
    if (this.clock.now() - this.checkedAt >= CHECK_EVERY_MS) this.latest = this.refresh();
    await this.latest;
    if (this.evicting) throw new Error('redis evicts keys');
  }

  private async connects(): Promise<boolean> {
    if (this.redis.status === 'ready') return true;
    return new Promise((resolve) => {
      const timer = setTimeout(() => done(false), START_TIMEOUT_MS);
      const ready = (): void => done(true);
      const done = (connected: boolean): void => {
        clearTimeout(timer);
        this.redis.off('ready', ready);
        resolve(connected);
      };
      this.redis.on('ready', ready);
    });
  }

  private async refresh(): Promise<void> {
    const first = this.checkedAt === -Infinity;
    this.checkedAt = this.clock.now();
    try {
      const text = (await Promise.all([this.redis.info('memory'), this.redis.info('persistence')])).join('\n');
      const policy = fieldOf(text, 'maxmemory_policy');
      const before = this.evicting;
      this.evicting = policy === undefined || policy === 'noeviction' ? undefined : policy;
      if (this.evicting !== undefined && this.evicting !== before) {
        this.logger.error(
          { policy: this.evicting },
          'Redis drops keys when its memory is full, and with them jobs and events: set maxmemory-policy to noeviction',
        );
      }
      if (first && policy === undefined)
        this.logger.warn('Redis does not report its maxmemory-policy: make sure that it is noeviction');
      if (first && fieldOf(text, 'aof_enabled') === '0') {
        this.logger.warn(
          'Redis has no append-only file and loses events that are not stored yet on a restart: set appendonly yes',
        );
      }
    } catch (error) {
      this.logger[first ? 'warn' : 'debug']({ err: error }, 'Could not check whether Redis evicts keys');
    }
  }
}

function fieldOf(information: string, name: string): string | undefined {
  return new RegExp(`^${name}:(.+?)\\r?$`, 'm').exec(information)?.[1];
}
