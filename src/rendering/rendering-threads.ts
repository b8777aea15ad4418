import { availableParallelism } from 'node:os';
import type { Requester } from './fair-queue.js';
import {
  RenderingBusyError,
  RenderingLimitError,
  RenderingWaitError,
  RequesterGoneError,
} from './rendering-limit-error.js';
import type { RenderingMetrics, RenderingOutcome } from './rendering-metrics.js';
import { ThreadPool, type ThreadLimits } from './thread-pool.js';

const DEFAULT_LIMITS: ThreadLimits = {
  timeLimitMs: 2000,
  memoryLimitMb: 256,
  // At least two, because no organization may use the last one.
  maxThreads: Math.max(2, Math.min(5, availableParallelism())),
  maxWaiting: 100,
};

/** The compiled code of the threads. Threads cannot load TypeScript, so tests use the build. */
const THREAD_MODULE = new URL(
  import.meta.url.endsWith('.ts') ? '../../dist/rendering/rendering-thread.js' : './rendering-thread.js',
  import.meta.url,
);

/** Runs tasks in threads, which start with the first task, and counts their outcomes. */
export class RenderingThreads {
  private readonly limits: ThreadLimits;
  private pool: ThreadPool | undefined;

  constructor(
    limits: Partial<ThreadLimits>,
    private readonly metrics?: RenderingMetrics,
  ) {
    this.limits = { ...DEFAULT_LIMITS, ...limits };
    metrics?.observeWaiting(() => this.pool?.waiting ?? 0);
  }

  /**
   * @param name of a function of `rendering-thread.ts`
   * @param length of what it reads, in characters
   */
  async run<Result>(name: string, task: object, length: number, requester: Requester): Promise<Result> {
    try {
      const result = await this.started.run<Result>(name, task, length, requester);
      this.metrics?.count('done');
      return result;
    } catch (error) {
      this.metrics?.count(outcomeOf(error));
      throw error;
    }
  }

  async close(): Promise<void> {
    await this.pool?.close();
  }

  private get started(): ThreadPool {
    return (this.pool ??= new ThreadPool(THREAD_MODULE, this.limits));
  }
}

function outcomeOf(error: unknown): RenderingOutcome {
  if (error instanceof RenderingLimitError) return 'limit';
  if (error instanceof RenderingBusyError) return 'refused';
  const isDropped = error instanceof RequesterGoneError || error instanceof RenderingWaitError;
  return isDropped ? 'dropped' : 'failed';
}
