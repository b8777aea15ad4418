import type { Clock } from '../../platform/clock/clock.js';
import type { Logger } from '../../platform/logging/logger.js';
import type { DecodedEntries } from '../../events/ingest/decode-entries.js';
import { deadLetterOf, type ReceivedEvent } from '../../events/ingest/flush-batch.js';
import type { EventConsumer } from '../../events/stream/event-consumer.js';
import type { StreamEvent } from '../../events/stream/stream-event.js';

/** Locks and shortages mostly end within a few of these. */
const RETRY_MS = 30_000;
const MAX_FAILURES = 5;
/** If there are more, it is Postgres that is slow. */
const MAX_EVENTS = 100;

interface SlowEvent {
  readonly received: ReceivedEvent<StreamEvent>;
  readonly failures: number;
  /** What `commits` was at the last failure. */
  readonly commits: number;
  readonly retryAt: number;
}

const NOTHING: DecodedEntries = { entryIds: [], events: [], reports: [], deadLetters: [] };

/**
 * Events that exceed a limit of Postgres even alone in their transaction. They are left out, so that no other event
 * waits for them, and tried again later. Their entries stay unacknowledged until then, so a crash loses none. One that
 * keeps failing becomes a dead letter, but only if other transactions succeed: otherwise it is Postgres that is slow.
 */
export class SlowEvents {
  private readonly events = new Map<string, SlowEvent>();
  private commits = 0;

  constructor(
    private readonly consumer: EventConsumer,
    private readonly clock: Clock,
    private readonly logger: Logger,
  ) {}

  recordCommit(): void {
    this.commits++;
  }

  /**
   * @param err why: the log says it only if no outage of Postgres explains it
   * @returns false if there are too many already
   */
  leaveOut(received: ReceivedEvent<StreamEvent>, err: unknown): boolean {
    const key = keyOf(received);
    const known = this.events.get(key);
    if (!known && this.events.size >= MAX_EVENTS) return false;
    const { commits } = this;
    const failures = known ? known.failures + (commits > known.commits ? 1 : 0) : 1;
    // Behind the others, so that each has its turn.
    this.events.delete(key);
    this.events.set(key, { received, failures, commits, retryAt: this.clock.now() + RETRY_MS });
    const { streamEntryId } = received;
    this.logger.warn({ streamEntryId, failures, err }, 'An event exceeds a limit of Postgres; going on without it');
    return true;
  }

  /** Acknowledges entries without such an event. */
  async acknowledge(entryIds: readonly string[]): Promise<void> {
    const held = new Set(this.entryIds());
    const done = held.size === 0 ? entryIds : entryIds.filter((id) => !held.has(id));
    if (done.length > 0) await this.consumer.acknowledge(done);
  }

  /** Keeps other flushers from claiming the entries: each of them would wait for the time limit, too. */
  async keep(): Promise<void> {
    if (this.events.size > 0) await this.consumer.keep(this.entryIds());
  }

  /**
   * Tries one event again, if one is due: each can take as long as a statement may.
   * @param store stores events, and calls `leaveOut` for one that fails again
   */
  async retry(store: (entries: DecodedEntries) => Promise<void>): Promise<void> {
    const slow = this.due();
    if (!slow) return;
    const { received } = slow;
    const { event, streamEntryId } = received;
    await store(
      event.type === 'recipient'
        ? { ...NOTHING, reports: [{ event, streamEntryId }] }
        : { ...NOTHING, events: [{ event, streamEntryId }] },
    );
    const key = keyOf(received);
    const after = this.events.get(key) ?? slow;
    if (after !== slow && after.failures < MAX_FAILURES) return;
    if (after !== slow) await store({ ...NOTHING, deadLetters: [deadLetterOf(received, 'timed-out')] });
    this.events.delete(key);
    await this.acknowledge([streamEntryId]);
  }

  get isDue(): boolean {
    return this.due() !== undefined;
  }

  /** Also those that a clock which was set back would delay. */
  private due(): SlowEvent | undefined {
    const now = this.clock.now();
    for (const slow of this.events.values()) {
      if (now >= slow.retryAt || slow.retryAt - now > RETRY_MS) return slow;
    }
    return undefined;
  }

  private entryIds(): string[] {
    return [...this.events.values()].map(({ received }) => received.streamEntryId);
  }
}

/** An event can be in several entries, and each of them waits for its own. */
function keyOf({ event, streamEntryId }: ReceivedEvent<StreamEvent>): string {
  return `${streamEntryId} ${event.id}`;
}
