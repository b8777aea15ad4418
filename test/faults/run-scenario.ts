import { setTimeout as delay } from 'node:timers/promises';
import { WEBHOOK_EVENTS } from '../../src/webhooks/webhook-events.js';
import { collectObservations, countUnsettled, type WebhookSubscription } from './collect-observations.js';
import { Clients, type Readable } from './clients.js';
import { reconcile, type Reconciliation } from './reconciliation.js';
import { ClientHistory } from './client-history.js';
import type { Testbed } from './testbed/testbed.js';
import { ReadyServices } from './testbed/ready-services.js';
import type { Scenario, Stage } from './scenario.js';
import { Traffic, USUAL_RATES } from './traffic.js';
import { errorAnswer } from '../support/sendgrid-stub.js';

const AUDIENCE = 8;
const LOOK_EVERY_MS = 1_000;

/** What one scenario came to. */
export interface Row extends Reconciliation {
  readonly id: string;
  readonly fault: string;
  readonly slowest: { readonly send: number; readonly hit: number };
  /** From the end of the fault until everything was in order; undefined when it never was. */
  readonly recoveredMs: number | undefined;
  readonly notes: readonly string[];
  /** Why it was not played. */
  readonly skipped?: string;
}

/** A scenario whose fault is over and whose invariants are still to be checked. */
export interface Injected {
  /** Resolves when everything is in order, or when the scenario's time is up. */
  settle(): Promise<void>;
  /** Checks the invariants, once no late work is left. */
  audit(): Promise<Row>;
}

const NOTHING: Reconciliation = {
  accepted: 0,
  delivered: 0,
  flaggedDuplicates: 0,
  unflaggedDuplicates: 0,
  lost: 0,
  failed: 0,
  events: 0,
  eventsLost: 0,
  eventsDestroyed: 0,
  eventsDuplicated: 0,
  violations: [],
};

/** A row of something else than a scenario, or of one that this machine cannot play. */
export function emptyRow(about: Pick<Row, 'id' | 'fault'> & Partial<Row>): Row {
  return { ...NOTHING, slowest: { send: 0, hit: 0 }, recoveredMs: 0, notes: [], ...about };
}

/** Plays a scenario up to the end of its fault. */
export async function inject(testbed: Testbed, scenario: Scenario): Promise<Injected> {
  const { id: scenarioId, fault, withinMs, isBalanced = false, subscribedEvents = WEBHOOK_EVENTS } = scenario;
  const name = `${scenarioId}-${Date.now().toString(36)}`;
  const { id, apiKey } = await testbed.createOrganization(name);
  const history = new ClientHistory(name, id);
  const ready = isBalanced ? new ReadyServices(() => [...testbed.apis, ...testbed.edges]) : undefined;
  const clients = new Clients(
    () => ready?.among(testbed.apis) ?? testbed.apis,
    () => ready?.among(testbed.edges) ?? testbed.edges,
    apiKey,
    history,
  );
  const subscription: WebhookSubscription = {
    events: subscribedEvents,
    secret: await clients.listen(testbed.deliveredWebhooks.urlFor(id), subscribedEvents),
  };
  const stage = new OpenStage(testbed, clients, await gatherAudience(clients));
  await stage.play(() => scenario.inject(stage));
  // From now on, whatever other fault comes next: that is what tells how long this one took.
  const recovery = watchRecovery(testbed, history, withinMs);
  return {
    settle: async () => {
      await recovery;
      await ready?.stop();
    },
    audit: async () => {
      const recoveredMs = await recovery;
      await stage.play(async () => scenario.verify?.(stage));
      const reconciliation = reconcile(await collectObservations(testbed, history, subscription), scenario.allowance);
      const late = recoveredMs === undefined ? [`L1: not in order within ${withinMs / 1_000} s`] : [];
      const violations = [...reconciliation.violations, ...late, ...stage.broken];
      return {
        id: scenarioId,
        fault,
        ...reconciliation,
        violations,
        slowest: history.slowest,
        recoveredMs,
        notes: stage.notes,
      };
    },
  };
}

/** Resolves with the milliseconds until everything was in order, or with undefined when time is up. */
async function watchRecovery(testbed: Testbed, history: ClientHistory, withinMs: number): Promise<number | undefined> {
  const begunAt = performance.now();
  for (;;) {
    const elapsed = performance.now() - begunAt;
    if (await isInOrder(testbed, history)) return Math.round(elapsed);
    if (elapsed > withinMs) return undefined;
    await delay(LOOK_EVERY_MS);
  }
}

/** While the next fault keeps Postgres away, nothing can be said. */
async function isInOrder(testbed: Testbed, history: ClientHistory): Promise<boolean> {
  try {
    const { emails, events, webhooks, tasks } = await countUnsettled(testbed, history);
    return emails + events + webhooks + tasks === 0;
  } catch {
    return false;
  }
}

/** Emails that arrive before anything goes wrong. */
async function gatherAudience(clients: Clients): Promise<Readable[]> {
  const sends = await Promise.all(Array.from({ length: AUDIENCE }, () => clients.send()));
  const readable = sends.flatMap((send) => send.readable ?? []).filter(({ linkPaths }) => linkPaths.length > 0);
  if (readable.length === 0) throw new Error(`No email arrived: ${clients.history.clientErrors.join('; ')}`);
  return readable;
}

class OpenStage implements Stage {
  readonly broken: string[] = [];
  readonly notes: string[] = [];
  private readonly started: Traffic[] = [];

  constructor(
    readonly testbed: Testbed,
    readonly clients: Clients,
    readonly audience: readonly Readable[],
  ) {}

  readonly traffic = (rates = USUAL_RATES): Traffic => {
    const refusal = errorAnswer(400, 'The subject is required.', 'subject');
    const refuseOnce = (address: string) => this.testbed.sendGrid.scripts.add(address, refusal, 1);
    const traffic = new Traffic(this.clients, this.audience, rates, refuseOnce);
    this.started.push(traffic);
    return traffic;
  };

  readonly expect = (what: string, holds: boolean): void => {
    if (!holds) this.broken.push(`not true: ${what}`);
  };

  readonly reportViolation = (what: string): void => {
    this.broken.push(what);
  };

  readonly note = (what: string): void => {
    this.notes.push(what);
  };

  /** A scenario that breaks off is a violation, and leaves the testbed in order for the next one. */
  async play(part: () => Promise<void>): Promise<void> {
    try {
      await part();
    } catch (error) {
      this.expect(`the scenario could be played (${String(error)})`, false);
      await this.testbed.heal();
    } finally {
      // A scenario that throws leaves its load running: later requests would be missing from the observations.
      await Promise.all(this.started.splice(0).map((traffic) => traffic.stop()));
    }
  }
}
