import type { MachineClass } from '../verdict.js';
import type { KnownEmail } from './lock-emails.js';

/** Clicks of a link, and how many of them machines caused. */
export class ClickDeltas {
  clicks = 0;
  machineClicks = 0;

  add(clicks: number, machineClicks: number): void {
    this.clicks += clicks;
    this.machineClicks += machineClicks;
  }
}

/** How new and changed hits affect the first hit by a person. */
class FirstHit {
  /** The first new hit, in milliseconds. */
  added = Infinity;
  /** The first hit that turned out to be by a machine. */
  lost = Infinity;

  /** @param people the change of the number of hits by people at that time */
  change(at: number, people: number): void {
    if (people > 0) this.added = Math.min(this.added, at);
    if (people < 0) this.lost = Math.min(this.lost, at);
  }
}

/** The counter increments of one email. */
export class EmailDeltas extends ClickDeltas {
  opens = 0;
  machineOpens = 0;
  /** The ID of the latest event, a UUIDv7 that contains its time. */
  latestId = '';
  /** The same for single clicks; empty if there are none. */
  latestClickId = '';
  /** Clicks by link position. */
  readonly positions = new Map<number, ClickDeltas>();
  /** Changes to its first open by a person. */
  readonly firstOpen = new FirstHit();
  readonly firstClick = new FirstHit();
  private byMachine: Map<MachineClass, number> | undefined;

  constructor(readonly email: KnownEmail) {
    super();
  }

  /** Hits by people after the batch. */
  get people(): { readonly opens: number; readonly clicks: number } {
    const { opens, clicks, machineOpens, machineClicks } = this.email;
    return {
      opens: opens + this.opens - machineOpens - this.machineOpens,
      clicks: clicks + this.clicks - machineClicks - this.machineClicks,
    };
  }

  /** Opens and clicks by machines; most emails have none. */
  get machines(): ReadonlyMap<MachineClass, number> {
    return this.byMachine ?? NO_MACHINES;
  }

  addMachineHits(machine: MachineClass, hits: number): void {
    this.byMachine ??= new Map();
    this.byMachine.set(machine, (this.byMachine.get(machine) ?? 0) + hits);
  }
}

const NO_MACHINES: ReadonlyMap<MachineClass, number> = new Map();

/** The clicks under the key, initially none. */
export function clickDeltasOf<Key>(links: Map<Key, ClickDeltas>, key: Key): ClickDeltas {
  let link = links.get(key);
  if (!link) links.set(key, (link = new ClickDeltas()));
  return link;
}
