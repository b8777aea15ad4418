import { Inject, Injectable } from '@nestjs/common';
import { CLOCK, type Clock } from '../clock/clock.js';
import { WriteProbe } from '../redis/write-probe.js';

/** A loop iterates every few seconds. One without progress for this long, with Redis available, will not recover. */
const STALL_LIMIT_MS = 30_000;

/** Time of a loop's last iteration, in milliseconds since the Unix epoch. Undefined while it processes a batch. */
export type Progress = () => number | undefined;

export interface LivenessReport {
  readonly status: 'live' | 'stalled';
  /** Names of the stalled loops, if any. */
  readonly stalled?: readonly string[];
}

/**
 * Detects stalled loops, which a process can have even though it responds and is connected. Time during which Redis was
 * down or rejected writes does not count, because a restart would not help.
 */
@Injectable()
export class Liveness {
  private readonly loops = new Map<string, Progress>();
  private reachableSince: number | undefined;
  private stopping = false;

  constructor(
    private readonly redis: WriteProbe,
    @Inject(CLOCK) private readonly clock: Clock,
  ) {}

  watch(name: string, progress: Progress): void {
    this.loops.set(name, progress);
  }

  /** Reports live from now on: a loop that stops for the shutdown must not cut the drain short. */
  stop(): void {
    this.stopping = true;
  }

  async report(): Promise<LivenessReport> {
    if (this.stopping || this.stalledSince(0).length === 0) {
      this.reachableSince = undefined;
      return { status: 'live' };
    }
    if (!(await this.doesRedisWork())) {
      this.reachableSince = undefined;
      return { status: 'live' };
    }
    this.reachableSince ??= this.clock.now();
    const stalled = this.stalledSince(this.reachableSince);
    return stalled.length === 0 ? { status: 'live' } : { status: 'stalled', stalled };
  }

  /** Names of the loops without recent progress. The limit counts from `start` if that is later. */
  private stalledSince(start: number): string[] {
    const limit = this.clock.now() - STALL_LIMIT_MS;
    return [...this.loops]
      .filter(([, progress]) => Math.max(progress() ?? Infinity, start) < limit)
      .map(([name]) => name);
  }

  private doesRedisWork(): Promise<boolean> {
    return this.redis.check().then(
      () => true,
      () => false,
    );
  }
}
