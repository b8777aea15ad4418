import { RenderingBusyError, RequesterGoneError } from './rendering-limit-error.js';

/** The organization and client that requested a task. */
export interface Requester {
  readonly organizationId: string;
  /** Returns true once the client has disconnected. Called when the task is about to run. */
  readonly hasGone?: () => boolean;
  /** False for accepted emails, which must not be refused, regardless of the length of the queue. */
  readonly mayBeRefused: boolean;
  /** Called with the time that its task ran. */
  readonly charge?: (milliseconds: number) => void;
}

export interface QueueLimits {
  /** Maximum number of concurrent tasks. */
  readonly slots: number;
  /** Maximum number of waiting tasks per organization. */
  readonly maxWaiting: number;
  /** Maximum total characters of waiting documents per organization. */
  readonly maxWaitingLength: number;
}

interface Waiting {
  readonly requester: Requester;
  readonly length: number;
  readonly begin: () => void;
  readonly drop: () => void;
}

/** The waiting tasks of one organization, oldest first. */
class Line {
  readonly tasks: Waiting[] = [];
  length = 0;

  push(task: Waiting): void {
    this.tasks.push(task);
    this.length += task.length;
  }

  shift(): Waiting | undefined {
    const task = this.tasks.shift();
    this.length -= task?.length ?? 0;
    return task;
  }

  /** Drops the tasks of disconnected clients. */
  dropGone(): void {
    for (const task of this.tasks.splice(0)) {
      if (task.requester.hasGone?.()) {
        this.length -= task.length;
        task.drop();
      } else this.tasks.push(task);
    }
  }
}

/**
 * Shares a few slots between organizations in turns. While several organizations wait, each one uses at most half of
 * the slots. No organization ever uses the last slot, so that a task of another one can start even while long tasks
 * run.
 */
export class FairQueue {
  /** In the order of their turns. */
  private readonly lines = new Map<string, Line>();
  private readonly running = new Map<string, number>();
  private taken = 0;

  constructor(private readonly limits: QueueLimits) {}

  get waiting(): number {
    let waiting = 0;
    for (const { tasks } of this.lines.values()) waiting += tasks.length;
    return waiting;
  }

  /**
   * Resolves when the task may run. The caller must call `leave` afterwards.
   * @param length characters that the waiting task holds in memory
   * @throws RenderingBusyError when the organization has too many waiting tasks, RequesterGoneError
   */
  async enter(requester: Requester, length: number): Promise<void> {
    const { organizationId } = requester;
    const line = this.lines.get(organizationId) ?? new Line();
    if (requester.mayBeRefused && this.isFull(line, length)) {
      line.dropGone();
      if (this.isFull(line, length)) throw new RenderingBusyError();
    }
    await new Promise<void>((begin, reject) => {
      line.push({ requester, length, begin, drop: () => reject(new RequesterGoneError()) });
      this.lines.set(organizationId, line);
      this.next();
    });
  }

  leave({ organizationId }: Requester): void {
    this.taken--;
    const left = this.running.get(organizationId)! - 1;
    if (left > 0) this.running.set(organizationId, left);
    else this.running.delete(organizationId);
    this.next();
  }

  private isFull({ tasks, length: waitingLength }: Line, length: number): boolean {
    const { maxWaiting, maxWaitingLength } = this.limits;
    // A single document longer than the limit may wait in an empty queue.
    return tasks.length >= maxWaiting || (tasks.length > 0 && waitingLength + length > maxWaitingLength);
  }

  private next(): void {
    while (this.taken < this.limits.slots) {
      const organizationId = this.nextOrganization();
      if (organizationId === undefined) return;
      const line = this.lines.get(organizationId)!;
      const task = line.shift()!;
      // Moves the organization to the end of the round if it has more tasks.
      this.lines.delete(organizationId);
      if (line.tasks.length > 0) this.lines.set(organizationId, line);
      if (task.requester.hasGone?.()) {
        task.drop();
        continue;
      }
      this.taken++;
      this.running.set(organizationId, (this.running.get(organizationId) ?? 0) + 1);
      task.begin();
    }
  }

  private nextOrganization(): string | undefined {
    const { slots } = this.limits;
    const maximum = Math.max(1, this.lines.size > 1 ? Math.floor(slots / 2) : slots - 1);
    for (const organizationId of this.lines.keys()) {
      if ((this.running.get(organizationId) ?? 0) < maximum) return organizationId;
    }
    return undefined;
  }
}
