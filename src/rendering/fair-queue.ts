import { KeyCounts } from '../platform/memory/key-counts.js';
import { RenderingBusyError, RenderingWaitError, RequesterGoneError } from './rendering-limit-error.js';
import { WaitingLine } from './waiting-line.js';

/** The organization and client that requested a task. */
export interface Requester {
  readonly organizationId: string;
  /** Returns true once the client has disconnected. Called when the task is about to run. */
  readonly hasGone?: () => boolean;
  /** False for accepted emails, which must not be refused, regardless of the length of the queue. */
  readonly mayBeRefused: boolean;
  /** How long the task may wait, in milliseconds; without a limit by default. */
  readonly maxWaitMs?: number;
  /** How long the task may run, if that is less than for others. */
  readonly timeLimitMs?: number;
  /** Called with the time that its task ran. */
  readonly charge?: (milliseconds: number) => void;
}

/** A client that waits for what it requested. */
export type WaitingClient = Pick<Requester, 'organizationId' | 'hasGone'>;

export function requesterFor({ organizationId, hasGone }: WaitingClient): Requester {
  return { organizationId, mayBeRefused: true, ...(hasGone && { hasGone }) };
}

export interface QueueLimits {
  /** Maximum number of concurrent tasks. */
  readonly slots: number;
  /** Maximum number of waiting tasks per organization. */
  readonly maxWaiting: number;
  /** Maximum total characters of waiting documents per organization. */
  readonly maxWaitingLength: number;
}

/**
 * Shares a few slots between organizations in turns. While several organizations wait, each one uses at most half of
 * the slots. No organization ever uses the last slot, so that a task of another one can start even while long tasks
 * run.
 */
export class FairQueue {
  /** In the order of their turns. */
  private readonly lines = new Map<string, WaitingLine>();
  private readonly running = new KeyCounts();
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
   * @throws RenderingBusyError when the organization has too many waiting tasks, RequesterGoneError,
   *   RenderingWaitError when the task has waited for `maxWaitMs`, or would
   */
  async enter(requester: Requester, length: number): Promise<void> {
    const { organizationId, mayBeRefused, maxWaitMs } = requester;
    const line = this.lines.get(organizationId) ?? new WaitingLine();
    if (mayBeRefused && this.isFull(line, length)) {
      line.dropGone();
      if (this.isFull(line, length)) throw new RenderingBusyError();
    }
    // A task that waits longer than that is ahead of it.
    if (maxWaitMs !== undefined && line.waitedMs > maxWaitMs) throw new RenderingWaitError();
    await new Promise<void>((begin, reject) => {
      const task = { requester, length, since: performance.now(), begin, drop: reject };
      line.push(task, () => this.giveUp(organizationId, line));
      this.lines.set(organizationId, line);
      this.next();
    });
  }

  leave({ organizationId }: Requester): void {
    this.taken--;
    this.running.add(organizationId, -1);
    this.next();
  }

  /** A task has left the line of the organization, because it waited too long. */
  private giveUp(organizationId: string, line: WaitingLine): void {
    if (line.tasks.length === 0) this.lines.delete(organizationId);
    this.next();
  }

  private isFull({ tasks, length: waitingLength }: WaitingLine, length: number): boolean {
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
        task.drop(new RequesterGoneError());
        continue;
      }
      this.taken++;
      this.running.add(organizationId, 1);
      task.begin();
    }
  }

  private nextOrganization(): string | undefined {
    const { slots } = this.limits;
    const maximum = Math.max(1, this.lines.size > 1 ? Math.floor(slots / 2) : slots - 1);
    for (const organizationId of this.lines.keys()) {
      if (this.running.countOf(organizationId) < maximum) return organizationId;
    }
    return undefined;
  }
}
