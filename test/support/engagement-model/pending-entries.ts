import type { StreamEntry } from '../../../src/events/stream/stream-entry.js';
import { keyOf, type StreamBed } from './stream-bed.js';

/** What the event of an entry means. */
interface Meaning {
  /** Changes the model when the entry is flushed for the first time. */
  readonly effect: () => void;
  /** Reports take effect in the order in which they are flushed; of hits, no order matters. */
  readonly isReport: boolean;
}

interface Pending extends Meaning {
  readonly entry: StreamEntry;
}

const NOTHING: Meaning = { effect: () => undefined, isReport: false };

/** The entries of the stream with what they mean for the model. */
export class PendingEntries {
  private pending: Pending[] = [];
  private flushed: Pending[] = [];
  /** By `keyOf`: a repeated entry means the same. */
  private readonly meanings = new Map<string, Meaning>();

  constructor(private readonly bed: StreamBed) {}

  /** Waits for the entry of what happened last. @param effect of its event */
  async addNext(type: 'hit' | 'report', effect: () => void): Promise<void> {
    const { entry, others } = await this.bed.nextAppended('other');
    this.meanings.set(keyOf(entry), { effect: once(effect), isReport: type === 'report' });
    this.add([entry, ...others]);
  }

  /** Waits for the entry that says that an email was sent. */
  async addSent(): Promise<void> {
    const { entry, others } = await this.bed.nextAppended('sent');
    this.add([entry, ...others]);
  }

  /**
   * Flushes some entries in another order than they arrived, with two flushers at once.
   * @param isRepeated both also get hits that the other one gets, and some that are stored already
   */
  async flush(order: number, share: number, events: number, isRepeated: boolean): Promise<void> {
    const shuffled = shuffle(this.pending, order);
    const taken = shuffled.slice(0, Math.ceil(share * shuffled.length));
    this.pending = shuffled.slice(taken.length);
    const hits = taken.filter(({ isReport }) => !isReport);
    const half = Math.ceil(hits.length / 2);
    const again = isRepeated ? shuffle(this.flushed, order).slice(0, 5) : [];
    const first = [...hits.slice(0, half), ...taken.filter(({ isReport }) => isReport), ...again];
    const second = [...hits.slice(isRepeated ? 0 : half), ...again.filter(({ isReport }) => !isReport)];
    for (const { effect } of taken) effect();
    await Promise.all(
      [first, second].map((some) =>
        this.bed.flush(
          some.map(({ entry }) => entry),
          events,
        ),
      ),
    );
    this.flushed.push(...taken);
  }

  async bury(share: number): Promise<void> {
    const taken = this.pending.splice(0, Math.ceil(share * this.pending.length));
    await this.bed.bury(taken.map(({ entry }) => entry));
  }

  async redrive(): Promise<void> {
    await this.bed.redrive();
    this.add(await this.bed.appended());
  }

  /** From now on, nothing is flushed again that was flushed before: events are deleted long after they arrived. */
  forgetFlushed(): void {
    this.flushed = [];
  }

  private add(entries: readonly StreamEntry[]): void {
    this.pending.push(...entries.map((entry) => ({ ...(this.meanings.get(keyOf(entry)) ?? NOTHING), entry })));
  }

  /** Flushes all that is left. */
  async settle(): Promise<void> {
    await this.redrive();
    await this.flush(0, 1, 1000, false);
    expect(await this.bed.deadLetters()).toBe(0);
  }
}

function once(effect: () => void): () => void {
  let isDone = false;
  return () => {
    if (!isDone) effect();
    isDone = true;
  };
}

/** The same order for the same number. */
function shuffle<Item>(items: readonly Item[], order: number): Item[] {
  const keyed = items.map((item, index) => ({ item, key: Math.imul(index + 1, 2 * order + 0x9e37_79b1) >>> 8 }));
  return order === 0 ? [...items] : keyed.sort((one, other) => one.key - other.key).map(({ item }) => item);
}
