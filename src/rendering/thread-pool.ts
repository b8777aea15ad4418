import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { Piscina } from 'piscina';
import { FairQueue, type Requester } from './fair-queue.js';
import { RenderingLimitError, RenderingTimeError } from './rendering-limit-error.js';
import { newTaskStart, runningMs, type TaskStart } from './task-start.js';

export interface ThreadLimits {
  /** How long one task may run, in milliseconds. */
  readonly timeLimitMs: number;
  /** The heap of one thread, in megabytes. */
  readonly memoryLimitMb: number;
  readonly maxThreads: number;
  /** Tasks of one organization that may wait. */
  readonly maxWaiting: number;
}

/** Threads without work end after this. */
const IDLE_MS = 30_000;
/** Of one organization, characters of documents that may wait: six of the longest that are allowed. */
const MAX_WAITING_LENGTH = 32 * 1024 * 1024;

/**
 * Runs functions of one module in threads, each task within a time and a memory limit. A task that exceeds one takes
 * its thread with it, and nothing else. Threads start when there is work and keep no process alive.
 */
export class ThreadPool {
  private readonly threads: Piscina;
  private readonly running = new Map<AbortController, Promise<unknown>>();
  /**
   * The pool has a queue of its own, but what waits there is forgotten when the thread it waits for dies, and it knows
   * no organizations: it gets only as many tasks as it has threads.
   */
  private readonly queue: FairQueue;

  constructor(
    module: URL,
    private readonly limits: ThreadLimits,
  ) {
    const filename = fileURLToPath(module);
    if (!existsSync(filename)) throw new Error(`${filename} is missing: build the project first`);
    this.queue = new FairQueue({
      places: limits.maxThreads,
      maxWaiting: limits.maxWaiting,
      maxWaitingLength: MAX_WAITING_LENGTH,
    });
    this.threads = new Piscina({
      filename,
      minThreads: 0,
      maxThreads: limits.maxThreads,
      idleTimeout: IDLE_MS,
      resourceLimits: { maxOldGenerationSizeMb: limits.memoryLimitMb },
      // Nothing that runs there has a use for settings and secrets.
      env: {},
      execArgv: [],
    });
    // A thread that fails before its first task: no task would ever hear of it.
    this.threads.on('error', (error) => this.running.forEach((_, task) => task.abort(error)));
  }

  get waiting(): number {
    return this.queue.waiting;
  }

  /**
   * @param name the function of the module
   * @param task its argument, which gets a place to tell in that work has started
   * @param length characters of the document in it
   * @throws RenderingLimitError when the task runs out of time or memory, RenderingBusyError when it may not even
   *   wait, RequesterGoneError
   */
  async run<Result>(name: string, task: object, length: number, requester: Requester): Promise<Result> {
    await this.queue.enter(requester, length);
    const controller = new AbortController();
    const start = newTaskStart();
    const stopWatching = this.watch(start, controller);
    const result = this.post<Result>(name, { ...task, start }, controller.signal);
    this.running.set(controller, result);
    try {
      return await result;
    } finally {
      stopWatching();
      this.running.delete(controller);
      this.queue.leave(requester);
    }
  }

  /** Lets running tasks end, which none outlasts its time limit. Piscina's own `close` waits for ever for one that does. */
  async close(): Promise<void> {
    while (this.running.size > 0) await Promise.allSettled([...this.running.values()]);
    await this.threads.destroy();
  }

  /** Looks whether the task is out of time only when it could be: most are over long before. */
  private watch(start: TaskStart, controller: AbortController): () => void {
    const { timeLimitMs } = this.limits;
    const look = (): void => {
      const leftMs = timeLimitMs - runningMs(start);
      if (leftMs > 0) timer = setTimeout(look, leftMs);
      else controller.abort(this.outOfTime());
    };
    let timer = setTimeout(look, timeLimitMs);
    return () => clearTimeout(timer);
  }

  private async post<Result>(name: string, task: object, signal: AbortSignal): Promise<Result> {
    try {
      return (await this.threads.run(task, { name, signal })) as Result;
    } catch (error) {
      if (signal.aborted) throw signal.reason;
      if ((error as NodeJS.ErrnoException).code === 'ERR_WORKER_OUT_OF_MEMORY') throw this.outOfMemory();
      throw error;
    }
  }

  private outOfTime(): RenderingTimeError {
    return new RenderingTimeError(`takes longer than ${this.limits.timeLimitMs} ms to render`);
  }

  private outOfMemory(): RenderingLimitError {
    return new RenderingLimitError(`takes more than ${this.limits.memoryLimitMb} MB of memory to render`);
  }
}
