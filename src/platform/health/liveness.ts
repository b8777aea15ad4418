import { Inject, Injectable } from '@nestjs/common';
import { CLOCK, type Clock } from '../clock/clock.js';
import { WriteProbe } from '../redis/write-probe.js';

/** A loop turns every few seconds; one that has not for so long while Redis is there will not by itself. */
const LONGEST_SILENCE_MS = 30_000;

/** When a loop last turned, in milliseconds since the Unix epoch; undefined while it is busy with what it has. */
export type Progress = () => number | undefined;

export interface LivenessReport {
  readonly status: 'live' | 'stalled';
  /** The loops that stand still, where any do. */
  readonly stalled?: readonly string[];
}

/**
 * Whether the process does its work: answering and being connected says nothing of a loop that stands still. Time
 * during which Redis was away or took no writes does not count: restarting a process would not change that.
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

  /** From now on live: loops that end because they were asked to must not end the drain of what is under way. */
  stop(): void {
    this.stopping = true;
  }

  async report(): Promise<LivenessReport> {
    if (this.stopping || this.silentSince(0).length === 0) {
      this.reachableSince = undefined;
      return { status: 'live' };
    }
    if (!(await this.doesRedisWork())) {
      this.reachableSince = undefined;
      return { status: 'live' };
    }
    this.reachableSince ??= this.clock.now();
    const stalled = this.silentSince(this.reachableSince);
    return stalled.length === 0 ? { status: 'live' } : { status: 'stalled', stalled };
  }

  /** Loops that have been silent for too long, counted from `start` where that is later. */
  private silentSince(start: number): string[] {
    const limit = this.clock.now() - LONGEST_SILENCE_MS;
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
