import type { WebhookEventType } from '../../src/webhooks/webhook-events.js';
import type { Clients, TrackedEmail } from './clients.js';
import type { Allowance } from './invariants/invariant.js';
import type { Testbed } from './testbed/testbed.js';
import type { Rates, Traffic } from './traffic.js';

/** What a scenario plays with. */
export interface ScenarioContext {
  readonly testbed: Testbed;
  readonly clients: Clients;
  /** Emails that were delivered before the fault, to be opened and clicked. */
  readonly deliveredEmails: readonly TrackedEmail[];
  /** Starts the usual load, or another one. */
  readonly startTraffic: (rates?: Rates) => Traffic;
  /** Something that must hold beyond the invariants: a violation when it does not. */
  readonly expect: (what: string, holds: boolean) => void;
  /** Reports the violation of an invariant that only this scenario checks. */
  readonly reportViolation: (what: string) => void;
  /** A figure for the table. */
  readonly note: (what: string) => void;
}

/** One fault: what is done to the service, and what that makes unavoidable. */
export interface Scenario {
  /** As in the fault matrix. */
  readonly id: string;
  /** What is injected, for the table. */
  readonly fault: string;
  /** How long after the fault everything may take to be in order again. */
  readonly withinMs: number;
  readonly allowance?: Partial<Allowance>;
  /** What its webhook listens to; all events without it. */
  readonly subscribedEvents?: readonly WebhookEventType[];
  /** Clients ask only processes that say they are ready, as behind a load balancer; all of them without it. */
  readonly isLoadBalanced?: boolean;
  /** Dead letters that it makes. */
  readonly deadLetters?: number;
  /** What this machine lacks for it, in words; the scenario is skipped then. */
  missingRequirement?(): string | undefined;
  /** Resolves when the fault is over and its load has been answered. */
  inject(context: ScenarioContext): Promise<void>;
  /** Looks at what shows only when everything is in order again. */
  verify?(context: ScenarioContext): Promise<void>;
}
