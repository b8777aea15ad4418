import { RenderingWaitError, RequesterGoneError } from './rendering-limit-error.js';

interface WaitingTask {
  readonly requester: { readonly hasGone?: () => boolean; readonly maxWaitMs?: number };
  readonly length: number;
  /** When it began to wait, by `performance.now()`. */
  readonly since: number;
  readonly begin: () => void;
  readonly drop: (error: Error) => void;
}

/** The waiting tasks of one organization, oldest first. */
export class WaitingLine {
  readonly tasks: WaitingTask[] = [];
  length = 0;
  private readonly timers = new Map<WaitingTask, NodeJS.Timeout>();

  /** How long the oldest one has waited, in milliseconds. */
  get waitedMs(): number {
    const [oldest] = this.tasks;
    return oldest ? performance.now() - oldest.since : 0;
  }

  /** @param onGivenUp is called once the task has been dropped because it waited too long */
  push(task: WaitingTask, onGivenUp: () => void): void {
    this.tasks.push(task);
    this.length += task.length;
    const { maxWaitMs } = task.requester;
    if (maxWaitMs === undefined) return;
    const giveUp = (): void => {
      this.tasks.splice(this.tasks.indexOf(task), 1);
      this.forget(task);
      task.drop(new RenderingWaitError());
      onGivenUp();
    };
    this.timers.set(task, setTimeout(giveUp, maxWaitMs));
  }

  shift(): WaitingTask | undefined {
    const task = this.tasks.shift();
    if (task) this.forget(task);
    return task;
  }

  /** Drops the tasks of disconnected clients. */
  dropGone(): void {
    for (const task of this.tasks.splice(0)) {
      if (task.requester.hasGone?.()) {
        this.forget(task);
        task.drop(new RequesterGoneError());
      } else this.tasks.push(task);
    }
  }

  private forget(task: WaitingTask): void {
    this.length -= task.length;
    clearTimeout(this.timers.get(task));
    this.timers.delete(task);
  }
}
