import { RenderingBusyError, RequesterGoneError } from './rendering-limit-error.js';

/** Whom a task is for. */
export interface Requester {
  readonly organizationId: string;
  /** True once nobody waits for the result: asked when the turn of the task comes. */
  readonly hasGone?: () => boolean;
  /** False for work that must not be refused, however much of it waits: an email that was accepted. */
  readonly mayBeRefused: boolean;
}

export interface QueueLimits {
  /** Tasks that run at once. */
  readonly places: number;
  /** Of one organization, tasks that wait. */
  readonly maxWaiting: number;
  /** Of one organization, characters of the documents that wait. */
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

  /** Forgets the tasks that nobody waits for any more. */
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
 * Gives organizations their turns at a few places. While others wait, one organization has at most half of the places;
 * it never has the last one, so that a task of another begins at once even beside tasks that take long.
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
   * Resolves when the task may run; then `leave` must follow.
   * @param length characters that the task keeps in memory while it waits
   * @throws RenderingBusyError when too much of the organization waits, RequesterGoneError
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
    // A document that is long by itself may wait where nothing else does.
    return tasks.length >= maxWaiting || (tasks.length > 0 && waitingLength + length > maxWaitingLength);
  }

  private next(): void {
    while (this.taken < this.limits.places) {
      const organizationId = this.whoseTurn();
      if (organizationId === undefined) return;
      const line = this.lines.get(organizationId)!;
      const task = line.shift()!;
      // To the end of the round, if there is more.
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

  private whoseTurn(): string | undefined {
    const { places } = this.limits;
    const most = Math.max(1, this.lines.size > 1 ? Math.floor(places / 2) : places - 1);
    for (const organizationId of this.lines.keys()) {
      if ((this.running.get(organizationId) ?? 0) < most) return organizationId;
    }
    return undefined;
  }
}
