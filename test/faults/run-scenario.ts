import { setTimeout as delay } from 'node:timers/promises';
import { WEBHOOK_EVENTS } from '../../src/webhooks/webhook-events.js';
import { collectObservations, countUnsettled, type WebhookSubscription } from './collect-observations.js';
import { Clients, type TrackedEmail } from './clients.js';
import { reconcile, type Reconciliation } from './reconciliation.js';
import { ClientHistory } from './client-history.js';
import type { Testbed } from './testbed/testbed.js';
import { ReadyServices } from './testbed/ready-services.js';
import type { Scenario, ScenarioContext } from './scenario.js';
import { Traffic, USUAL_RATES } from './traffic.js';
import { sendGridError } from '../support/sendgrid-stub.js';

const FIRST_EMAILS = 8;
const POLL_INTERVAL_MS = 1_000;

/** The result of one scenario. */
export interface ScenarioResult extends Reconciliation {
  readonly id: string;
  readonly fault: string;
  readonly slowest: { readonly send: number; readonly hit: number };
  /** From the end of the fault until everything was settled; undefined when it never was. */
  readonly recoveredMs: number | undefined;
  readonly notes: readonly string[];
  /** Why it was not run. */
  readonly skipped?: string;
}

/** A scenario whose fault is over and whose invariants are still to be checked. */
export interface InjectedScenario {
  /** Resolves when everything is settled, or when the scenario's time is up. */
  waitUntilSettled(): Promise<void>;
  /** Checks the invariants, once no late work is left. */
  reconcile(): Promise<ScenarioResult>;
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

/** A row for something other than a scenario, or for one that this machine cannot run. */
export function emptyResult(about: Pick<ScenarioResult, 'id' | 'fault'> & Partial<ScenarioResult>): ScenarioResult {
  return { ...NOTHING, slowest: { send: 0, hit: 0 }, recoveredMs: 0, notes: [], ...about };
}

/** Runs a scenario until the end of its fault. */
export async function inject(testbed: Testbed, scenario: Scenario): Promise<InjectedScenario> {
  const { id: scenarioId, fault, withinMs, isLoadBalanced = false, subscribedEvents = WEBHOOK_EVENTS } = scenario;
  const name = `${scenarioId}-${Date.now().toString(36)}`;
  const { id, apiKey } = await testbed.createOrganization(name);
  const history = new ClientHistory(name, id);
  const balancer = isLoadBalanced ? new ReadyServices(() => [...testbed.apis, ...testbed.edges]) : undefined;
  const clients = new Clients(
    () => balancer?.among(testbed.apis) ?? testbed.apis,
    () => balancer?.among(testbed.edges) ?? testbed.edges,
    apiKey,
    history,
  );
  const subscription: WebhookSubscription = {
    events: subscribedEvents,
    secret: await clients.subscribe(testbed.deliveredWebhooks.urlFor(id), subscribedEvents),
  };
  const running = new RunningScenario(testbed, clients, balancer, await deliverFirstEmails(clients));
  await running.run(() => scenario.inject(running));
  // Measured from now on, although the next faults run meanwhile: it shows how long the recovery from this one took.
  const recovery = measureRecovery(testbed, history, withinMs);
  return {
    waitUntilSettled: async () => {
      await recovery;
      await balancer?.stop();
    },
    reconcile: async () => {
      const { recoveredMs, unsettled } = await recovery;
      await running.run(async () => scenario.verify?.(running));
      const reconciliation = reconcile(await collectObservations(testbed, history, subscription), scenario.allowance);
      const late = unsettled ? [`L1: not settled within ${withinMs / 1_000} s: ${unsettled}`] : [];
      const violations = [...reconciliation.violations, ...late, ...running.violations];
      return {
        id: scenarioId,
        fault,
        ...reconciliation,
        violations,
        slowest: history.slowest,
        recoveredMs,
        notes: running.notes,
      };
    },
  };
}

/** Either when everything was settled, in milliseconds, or what was not when time was up. */
type Recovery = { recoveredMs: number; unsettled?: undefined } | { recoveredMs: undefined; unsettled: string };

async function measureRecovery(testbed: Testbed, history: ClientHistory, withinMs: number): Promise<Recovery> {
  const startedAt = performance.now();
  for (;;) {
    const elapsed = performance.now() - startedAt;
    const unsettled = await describeUnsettled(testbed, history);
    if (unsettled === undefined) return { recoveredMs: Math.round(elapsed) };
    if (elapsed > withinMs) return { recoveredMs: undefined, unsettled };
    await delay(POLL_INTERVAL_MS);
  }
}

/** Resolves with undefined if everything is settled. */
async function describeUnsettled(testbed: Testbed, history: ClientHistory): Promise<string | undefined> {
  try {
    const counts: [string, number][] = Object.entries(await countUnsettled(testbed, history));
    const left = counts.filter(([, count]) => count > 0);
    return left.length === 0 ? undefined : left.map(([what, count]) => `${count} ${what}`).join(', ');
  } catch (error) {
    // The next fault makes Postgres unavailable.
    return `the state is unknown (${String(error)})`;
  }
}

/** Emails that are delivered before the fault. */
async function deliverFirstEmails(clients: Clients): Promise<TrackedEmail[]> {
  const sends = await Promise.all(Array.from({ length: FIRST_EMAILS }, () => clients.send()));
  const emails = sends.flatMap((send) => send.trackedEmail ?? []).filter(({ linkPaths }) => linkPaths.length > 0);
  if (emails.length === 0) throw new Error(`No email with a link arrived: ${JSON.stringify(sends)}`);
  return emails;
}

class RunningScenario implements ScenarioContext {
  readonly violations: string[] = [];
  readonly notes: string[] = [];
  private readonly started: Traffic[] = [];

  constructor(
    readonly testbed: Testbed,
    readonly clients: Clients,
    readonly balancer: ReadyServices | undefined,
    readonly deliveredEmails: readonly TrackedEmail[],
  ) {}

  readonly startTraffic = (rates = USUAL_RATES): Traffic => {
    const refusal = sendGridError(400, 'The subject is required.', 'subject');
    const refuseOnce = (address: string) => this.testbed.sendGrid.scripts.add(address, refusal, 1);
    const traffic = new Traffic(this.clients, this.deliveredEmails, rates, refuseOnce);
    this.started.push(traffic);
    return traffic;
  };

  readonly expect = (what: string, holds: boolean): void => {
    if (!holds) this.violations.push(`expectation failed: ${what}`);
  };

  readonly reportViolation = (what: string): void => {
    this.violations.push(what);
  };

  readonly note = (what: string): void => {
    this.notes.push(what);
  };

  /** A scenario that throws is a violation. The testbed is repaired for the next one. */
  async run(part: () => Promise<void>): Promise<void> {
    try {
      await part();
    } catch (error) {
      this.expect(`the scenario ran to its end (${String(error)})`, false);
      await this.testbed.repair();
    } finally {
      // A scenario that throws leaves its load running: later requests would be missing from the observations.
      await Promise.all(this.started.splice(0).map((traffic) => traffic.stop()));
    }
  }
}
