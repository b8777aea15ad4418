import type { WebhookEventType } from '../../src/webhooks/webhook-events.js';
import type { Clients, TrackedEmail } from './clients.js';
import type { Allowance } from './invariants/invariant.js';
import type { MaxMemoryMb } from './leftovers.js';
import type { ReadyServices } from './testbed/ready-services.js';
import type { Testbed } from './testbed/testbed.js';
import type { Rates, Traffic } from './traffic.js';

/** What a scenario can use. */
export interface ScenarioContext {
  readonly testbed: Testbed;
  readonly clients: Clients;
  /** Only of a scenario that is load balanced. */
  readonly balancer: ReadyServices | undefined;
  /** Emails that were delivered before the fault, to be opened and clicked. */
  readonly deliveredEmails: readonly TrackedEmail[];
  /** Starts the usual load, or one with other rates. */
  readonly startTraffic: (rates?: Rates) => Traffic;
  /** Reports a violation if a condition beyond the invariants does not hold. */
  readonly expect: (what: string, holds: boolean) => void;
  /** Reports the violation of an invariant that only this scenario checks. */
  readonly reportViolation: (what: string) => void;
  /** Adds a remark to the report. */
  readonly note: (what: string) => void;
}

/** One fault: what is done to the service, and which effects are unavoidable. */
export interface Scenario {
  /** As in the fault matrix. */
  readonly id: string;
  /** The injected fault, for the report. */
  readonly fault: string;
  /** How long after the fault the recovery may take. */
  readonly withinMs: number;
  readonly allowance?: Partial<Allowance>;
  /** The events that its webhook subscribes to; all by default. */
  readonly subscribedEvents?: readonly WebhookEventType[];
  /** Clients send only to ready processes, as behind a load balancer; to all by default. */
  readonly isLoadBalanced?: boolean;
  /** The number of dead letters that it causes. */
  readonly deadLetters?: number;
  /** What processes may use at most, where that is more than usual. */
  readonly maxMemoryMb?: MaxMemoryMb;
  /** What this machine lacks for the scenario. If there is something, the scenario is skipped. */
  missingRequirement?(): string | undefined;
  /** Resolves when the fault is over and its load has its responses. */
  inject(context: ScenarioContext): Promise<void>;
  /** Checks what shows only after the recovery. */
  verify?(context: ScenarioContext): Promise<void>;
}
