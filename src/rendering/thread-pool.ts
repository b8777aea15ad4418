import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { Piscina } from 'piscina';
import { FairQueue, type Requester } from './fair-queue.js';
import { RenderingLimitError, RenderingTimeError, TOO_DEEP_OR_LONG } from './rendering-limit-error.js';
import { newTaskStart, processorMs, runningMs, type TaskStart } from './task-start.js';
import { TimeLimit } from './time-limit.js';

export interface ThreadLimits {
  /** Maximum run time of a task in milliseconds, by `TimeLimit`. */
  readonly timeLimitMs: number;
  /** Maximum heap of a thread in megabytes. */
  readonly memoryLimitMb: number;
  readonly maxThreads: number;
  /** Maximum number of waiting tasks per organization. */
  readonly maxWaiting: number;
}

/** Idle threads end after this time. A new one has to compile its code again, which takes thousands of emails. */
const IDLE_MS = 10 * 60_000;
/** Maximum characters of waiting documents per organization: about six documents of maximum length. */
const MAX_WAITING_LENGTH = 32 * 1024 * 1024;

/**
 * Runs functions of a module in threads, each task within a time limit and a memory limit. A task over a limit ends
 * only its own thread. Threads start on demand and do not keep the process alive.
 */
export class ThreadPool {
  private readonly threads: Piscina;
  private readonly running = new Map<AbortController, Promise<unknown>>();
  /**
   * Piscina's own queue loses tasks when a thread dies, and it does not know organizations. Piscina therefore gets only
   * as many tasks as it has threads.
   */
  private readonly queue: FairQueue;

  constructor(
    module: URL,
    private readonly limits: ThreadLimits,
  ) {
    const filename = fileURLToPath(module);
    if (!existsSync(filename)) throw new Error(`${filename} is missing: build the project first`);
    this.queue = new FairQueue({
      slots: limits.maxThreads,
      maxWaiting: limits.maxWaiting,
      maxWaitingLength: MAX_WAITING_LENGTH,
    });
    this.threads = new Piscina({
      filename,
      minThreads: 0,
      maxThreads: limits.maxThreads,
      idleTimeout: IDLE_MS,
      resourceLimits: { maxOldGenerationSizeMb: limits.memoryLimitMb },
      // The threads need no settings or secrets.
      env: {},
      execArgv: [],
    });
    // When a thread fails before its first task, no task is rejected, so all running tasks are aborted. A thread that
    // runs out of memory had a task, which ended or was rejected with it: those of other threads continue.
    this.threads.on('error', (error) => {
      if (!isOutOfMemory(error)) this.running.forEach((_, task) => task.abort(error));
    });
  }

  get waiting(): number {
    return this.queue.waiting;
  }

  /**
   * @param name the function of the module
   * @param task its argument, to which `start` is added
   * @param length characters of its document
   * @throws RenderingLimitError when the task exceeds its time or memory limit, RenderingBusyError when too many tasks
   *   wait, RequesterGoneError, RenderingWaitError
   */
  async run<Result>(name: string, task: object, length: number, requester: Requester): Promise<Result> {
    await this.queue.enter(requester, length);
    const controller = new AbortController();
    const start = newTaskStart();
    const stopWatching = this.watch(start, controller, requester.timeLimitMs ?? this.limits.timeLimitMs);
    const result = this.post<Result>(name, { ...task, start }, controller.signal);
    this.running.set(controller, result);
    try {
      return await result;
    } finally {
      stopWatching();
      this.running.delete(controller);
      requester.charge?.(runningMs(start));
      this.queue.leave(requester);
    }
  }

  /**
   * Waits for running tasks, which the time limit bounds. Piscina's own `close` would wait forever for a stuck task.
   */
  async close(): Promise<void> {
    while (this.running.size > 0) await Promise.allSettled([...this.running.values()]);
    await this.threads.destroy();
  }

  /** Checks the run time only when the limit may be reached, because most tasks end long before. */
  private watch(start: TaskStart, controller: AbortController, limitMs: number): () => void {
    const limit = new TimeLimit(limitMs);
    const check = (): void => {
      const remainingMs = limit.remainingMs(runningMs(start), () => processorMs(start));
      if (remainingMs > 0) timer = setTimeout(check, remainingMs);
      else controller.abort(outOfTime(limitMs));
    };
    let timer = setTimeout(check, limitMs / 2);
    return () => clearTimeout(timer);
  }

  private async post<Result>(name: string, task: object, signal: AbortSignal): Promise<Result> {
    try {
      return (await this.threads.run(task, { name, signal })) as Result;
    } catch (error) {
      if (signal.aborted) throw signal.reason;
      if (isOutOfMemory(error)) throw this.outOfMemory();
      // Thrown for the depth of the stack, or for the length of a string or array.
      if (error instanceof Error && error.name === 'RangeError') throw new RenderingLimitError(TOO_DEEP_OR_LONG);
      throw error;
    }
  }

  private outOfMemory(): RenderingLimitError {
    return new RenderingLimitError(`takes more than ${this.limits.memoryLimitMb} MB of memory to render`);
  }
}

function outOfTime(limitMs: number): RenderingTimeError {
  return new RenderingTimeError(`takes longer than ${limitMs} ms to render`);
}

function isOutOfMemory(error: unknown): boolean {
  return (error as NodeJS.ErrnoException).code === 'ERR_WORKER_OUT_OF_MEMORY';
}
