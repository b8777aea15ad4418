import type { ProcessCounts } from '../testbed/testbed-settings.js';
import type { Timeouts } from '../run-batches.js';
import type { Scenario } from '../scenario.js';
import type { Patch } from './patched-build.js';

/** A mistake in the product that a fault run must detect. */
export interface PlantedFault {
  readonly name: string;
  readonly patches: readonly Patch[];
  readonly setup: ProofSetup;
}

/**
 * The cheapest scenario that detects a kind of mistake, and how long the unpatched build may take to recover from it.
 */
export interface ProofSetup extends Partial<Timeouts> {
  readonly scenario: Scenario;
  readonly processCounts: ProcessCounts;
  readonly withinMs: number;
}
