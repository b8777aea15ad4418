import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { Piscina } from 'piscina';
import { RenderingLimitError, RenderingTimeError } from './rendering-limit-error.js';
import { newTaskStart, runningMs, type TaskStart } from './task-start.js';

export interface ThreadLimits {
  /** How long one task may run, in milliseconds. */
  readonly timeLimitMs: number;
  /** The heap of one thread, in megabytes. */
  readonly memoryLimitMb: number;
  readonly maxThreads: number;
}

/** Threads without work end after this. */
const IDLE_MS = 30_000;

/**
 * Runs functions of one module in threads, each task within a time and a memory limit. A task that exceeds one takes
 * its thread with it, and nothing else. Threads start when there is work and keep no process alive.
 */
export class ThreadPool {
  private readonly threads: Piscina;
  private readonly running = new Set<AbortController>();
  private readonly waiting: (() => void)[] = [];
  private taken = 0;

  constructor(
    module: URL,
    private readonly limits: ThreadLimits,
  ) {
    const filename = fileURLToPath(module);
    if (!existsSync(filename)) throw new Error(`${filename} is missing: build the project first`);
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
    this.threads.on('error', (error) => this.running.forEach((task) => task.abort(error)));
  }

  /**
   * @param name the function of the module
   * @param task its argument, which gets a place to tell in that work has started
   * @throws RenderingLimitError when the task runs out of time or memory
   */
  async run<Result>(name: string, task: object): Promise<Result> {
    await this.enter();
    const controller = new AbortController();
    this.running.add(controller);
    const start = newTaskStart();
    const stopWatching = this.watch(start, controller);
    try {
      return await this.post<Result>(name, { ...task, start }, controller.signal);
    } finally {
      stopWatching();
      this.running.delete(controller);
      this.leave();
    }
  }

  async close(): Promise<void> {
    await this.threads.close();
  }

  /**
   * The pool has a queue of its own, but what waits there is forgotten when the thread it waits for dies: it gets
   * only as many tasks as it has threads. Who leaves hands the place over.
   */
  private async enter(): Promise<void> {
    if (this.taken < this.limits.maxThreads) this.taken++;
    else await new Promise<void>((enter) => this.waiting.push(enter));
  }

  private leave(): void {
    const next = this.waiting.shift();
    if (next === undefined) this.taken--;
    else next();
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
