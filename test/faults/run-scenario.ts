import { setTimeout as delay } from 'node:timers/promises';
import { closeBooks, unsettled } from './bookkeeper.js';
import { Clients, type Readable } from './clients.js';
import { judge, NOTHING_ALLOWED, type Verdict } from './conservation.js';
import { Ledger } from './ledger.js';
import type { Plant } from './plant/plant.js';
import type { Scenario, Stage } from './scenario.js';
import { Traffic, USUAL_RATES } from './traffic.js';

const AUDIENCE = 5;
const LOOK_EVERY_MS = 1_000;

/** What one scenario came to. */
export interface Row extends Verdict {
  readonly id: string;
  readonly fault: string;
  readonly slowest: { readonly send: number; readonly hit: number };
  /** From the end of the fault until everything was in order; undefined when it never was. */
  readonly recoveredMs: number | undefined;
  readonly notes: readonly string[];
  /** Why it was not played. */
  readonly skipped?: string;
}

/** A scenario whose fault is over and whose books are still open. */
export interface Injected {
  /** Resolves when everything is in order, or when the scenario's time is up. */
  settle(): Promise<void>;
  /** Closes the books, once nothing comes late any more. */
  audit(): Promise<Row>;
}

/** The row of a scenario that this machine cannot play. */
export function skip({ id, fault }: Scenario, why: string): Row {
  const verdict = judge({
    sends: [],
    engagement: { answered: [], unanswered: 0, stored: [], counters: {} },
    complaints: [],
    processes: [],
  });
  return { id, fault, ...verdict, slowest: { send: 0, hit: 0 }, recoveredMs: 0, notes: [], skipped: why };
}

/** Plays a scenario up to the end of its fault. */
export async function inject(plant: Plant, scenario: Scenario): Promise<Injected> {
  const name = `${scenario.id}-${Date.now().toString(36)}`;
  const { id, apiKey } = await plant.createOrganization(name);
  const ledger = new Ledger(name, id);
  const clients = new Clients(
    () => plant.apis,
    () => plant.edges,
    apiKey,
    ledger,
  );
  await clients.listen(plant.receiver.url);
  const stage = new OpenStage(plant, clients, await gatherAudience(clients));
  await stage.play(() => scenario.inject(stage));
  // From now on, whatever other fault comes next: that is what tells how long this one took.
  const recovery = watchRecovery(plant, ledger, scenario.withinMs);
  return {
    settle: async () => {
      await recovery;
    },
    audit: async () => {
      const recoveredMs = await recovery;
      await stage.play(async () => scenario.verify?.(stage));
      const verdict = judge(await closeBooks(plant, ledger), { ...NOTHING_ALLOWED, ...scenario.allowance });
      const { id, fault, withinMs } = scenario;
      const late = recoveredMs === undefined ? [`L1: not in order within ${withinMs / 1_000} s`] : [];
      const breaches = [...verdict.breaches, ...late, ...stage.broken];
      return { id, fault, ...verdict, breaches, slowest: ledger.slowest, recoveredMs, notes: stage.notes };
    },
  };
}

/** Resolves with the milliseconds until everything was in order, or with undefined when time is up. */
async function watchRecovery(plant: Plant, ledger: Ledger, withinMs: number): Promise<number | undefined> {
  const begunAt = performance.now();
  for (;;) {
    const elapsed = performance.now() - begunAt;
    if (await isInOrder(plant, ledger)) return Math.round(elapsed);
    if (elapsed > withinMs) return undefined;
    await delay(LOOK_EVERY_MS);
  }
}

/** While the next fault keeps Postgres away, nothing can be said. */
async function isInOrder(plant: Plant, ledger: Ledger): Promise<boolean> {
  try {
    const { emails, events, announcements } = await unsettled(plant, ledger);
    return emails + events + announcements === 0;
  } catch {
    return false;
  }
}

/** Emails that arrive before anything goes wrong. */
async function gatherAudience(clients: Clients): Promise<Readable[]> {
  const sends = await Promise.all(Array.from({ length: AUDIENCE }, () => clients.send()));
  const readable = sends.flatMap((send) => send.readable ?? []).filter(({ linkPaths }) => linkPaths.length > 0);
  if (readable.length === 0) throw new Error(`No email arrived: ${clients.ledger.complaints.join('; ')}`);
  return readable;
}

class OpenStage implements Stage {
  readonly broken: string[] = [];
  readonly notes: string[] = [];

  constructor(
    readonly plant: Plant,
    readonly clients: Clients,
    readonly audience: readonly Readable[],
  ) {}

  readonly traffic = (rates = USUAL_RATES): Traffic => new Traffic(this.clients, this.audience, rates);

  readonly expect = (what: string, holds: boolean): void => {
    if (!holds) this.broken.push(`not true: ${what}`);
  };

  readonly note = (what: string): void => {
    this.notes.push(what);
  };

  /** A scenario that breaks off is a breach, and leaves the plant in order for the next one. */
  async play(part: () => Promise<void>): Promise<void> {
    try {
      await part();
    } catch (error) {
      this.expect(`the scenario could be played (${String(error)})`, false);
      await this.plant.heal();
    }
  }
}
