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

/** The counter increments of one email. */
export class EmailDeltas extends ClickDeltas {
  opens = 0;
  machineOpens = 0;
  /** The ID of the latest event, a UUIDv7 that contains its time. */
  latestId = '';
  /** The same of single clicks; empty without any. */
  latestClickId = '';
  /** Clicks by link position. */
  readonly positions = new Map<number, ClickDeltas>();
  private byMachine: Map<MachineClass, number> | undefined;

  constructor(readonly email: KnownEmail) {
    super();
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

/** The clicks under the key, none at first. */
export function clickDeltasOf<Key>(links: Map<Key, ClickDeltas>, key: Key): ClickDeltas {
  let link = links.get(key);
  if (!link) links.set(key, (link = new ClickDeltas()));
  return link;
}
