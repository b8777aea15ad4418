import type { Redis } from 'ioredis';
import type { Clock } from '../clock/clock.js';
import { OperatorError } from '../errors/operator-error.js';
import type { Logger } from '../logging/logger.js';

/** How old the knowledge of the policy may be: a failover can lead to a server that is set otherwise. */
const LOOK_EVERY_MS = 10_000;
/** How long a start waits for Redis to connect before it goes on without having looked. */
const START_PATIENCE_MS = 1_000;

/**
 * Whether Redis keeps what it is given. One that evicts keys drops jobs and events without a word, so no process
 * starts with it. A process that meets it later, after a failover, goes on and reports it: stopping would strand what
 * Redis still holds. One without an append-only file loses what it holds when it ends, which is worth a warning.
 * Asked by INFO, which hosted servers answer that forbid CONFIG.
 */
export class RedisPolicy {
  private evicting: string | undefined;
  private lookedAt = -Infinity;
  private latest: Promise<void> = Promise.resolve();

  constructor(
    private readonly redis: Redis,
    private readonly clock: Clock,
    private readonly logger: Logger,
  ) {}

  /**
   * Looks once Redis is connected; one that is away must not keep a process from starting.
   * @throws OperatorError when it evicts
   */
  async checkAtStart(): Promise<void> {
    if (!(await this.connects())) return;
    await this.look();
    if (this.evicting) {
      throw new OperatorError(
        `Redis at REDIS_URL drops keys when its memory is full (maxmemory-policy ${this.evicting}), and with them jobs and events: set maxmemory-policy to noeviction`,
      );
    }
  }

  /** Looks again with every new connection, which may lead to another server. Processes that nobody asks tell, too. */
  watch(): void {
    this.redis.on('ready', () => {
      this.latest = this.look();
    });
  }

  /** @throws Error when it evicts, in words that readiness may show */
  async check(): Promise<void> {
    if (this.clock.now() - this.lookedAt >= LOOK_EVERY_MS) this.latest = this.look();
    await this.latest;
    if (this.evicting) throw new Error('redis evicts keys');
  }

  private async connects(): Promise<boolean> {
    if (this.redis.status === 'ready') return true;
    return new Promise((resolve) => {
      const timer = setTimeout(() => done(false), START_PATIENCE_MS);
      const ready = (): void => done(true);
      const done = (connected: boolean): void => {
        clearTimeout(timer);
        this.redis.off('ready', ready);
        resolve(connected);
      };
      this.redis.on('ready', ready);
    });
  }

  private async look(): Promise<void> {
    const first = this.lookedAt === -Infinity;
    this.lookedAt = this.clock.now();
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
        this.logger.warn('Redis does not tell its maxmemory-policy: it must be noeviction');
      if (first && fieldOf(text, 'aof_enabled') === '0') {
        this.logger.warn(
          'Redis keeps no append-only file: a restart of it loses events that are not stored yet; set appendonly yes',
        );
      }
    } catch (error) {
      this.logger[first ? 'warn' : 'debug']({ err: error }, 'Could not look whether Redis keeps its keys');
    }
  }
}

function fieldOf(information: string, name: string): string | undefined {
  return new RegExp(`^${name}:(.+?)\\r?$`, 'm').exec(information)?.[1];
}
