import { setTimeout as delay } from 'node:timers/promises';
import { countStreamEntries } from './collect-observations.js';
import { findLeftovers, leftoverViolations, type MaxMemoryMb } from './leftovers.js';
import type { Testbed } from './testbed/testbed.js';
import { emptyResult, inject, type InjectedScenario, type ScenarioResult } from './run-scenario.js';
import type { Scenario } from './scenario.js';

/** How long a run waits once every scenario has recovered. */
export interface Timeouts {
  /** Other flushers claim the entries of a killed one after more than a minute. */
  readonly drainedMs: number;
  /** Finished jobs and replayed spool files disappear by themselves. */
  readonly tidiedMs: number;
}

const DEFAULT_TIMEOUTS: Timeouts = { drainedMs: 120_000, tidiedMs: 30_000 };
const POLL_INTERVAL_MS = 500;

/** The row for what is left behind at the end. */
export const FINAL_CHECK = { id: 'afterwards', fault: 'nothing more: what is left behind' } as const;

/**
 * Injects the faults of a batch, one after the other, then waits for all scenarios and checks their invariants: all at
 * the end, so that late work of the first scenario is still observed.
 */
async function runBatch(
  testbed: Testbed,
  batch: readonly Scenario[],
  report: (line: string) => void,
  { drainedMs }: Timeouts,
): Promise<ScenarioResult[]> {
  const injected: InjectedScenario[] = [];
  const skipped: ScenarioResult[] = [];
  for (const scenario of batch) {
    report(`${scenario.id}: ${scenario.fault}`);
    const missing = scenario.missingRequirement?.();
    if (missing === undefined) injected.push(await inject(testbed, scenario));
    else skipped.push(emptyResult({ id: scenario.id, fault: scenario.fault, skipped: missing }));
  }
  report('waiting until every scenario has recovered');
  await Promise.all(injected.map((each) => each.waitUntilSettled()));
  await waitUntilDrained(testbed, drainedMs);
  const rows = await Promise.all(injected.map((each) => each.reconcile()));
  return [...rows, ...skipped];
}

/** Runs one batch after the other. @param report receives a line for each step */
export async function runBatches(
  testbed: Testbed,
  batches: readonly (readonly Scenario[])[],
  report: (line: string) => void,
  timeouts: Timeouts = DEFAULT_TIMEOUTS,
): Promise<ScenarioResult[]> {
  const rows: ScenarioResult[] = [];
  for (const batch of batches) rows.push(...(await runBatch(testbed, batch, report, timeouts)));
  const completed = batches.flat().filter(({ missingRequirement }) => missingRequirement?.() === undefined);
  return [...rows, await checkLeftovers(testbed, completed, timeouts)];
}

/** Entries left in the stream may still be stored, perhaps for the second time. */
async function waitUntilDrained(testbed: Testbed, withinMs: number): Promise<void> {
  const deadline = performance.now() + withinMs;
  while ((await countStreamEntries(testbed)) > 0 && performance.now() < deadline) await delay(POLL_INTERVAL_MS);
}

async function checkLeftovers(
  testbed: Testbed,
  completed: readonly Scenario[],
  { tidiedMs }: Timeouts,
): Promise<ScenarioResult> {
  const expected = {
    deadLetters: completed.reduce((total, { deadLetters = 0 }) => total + deadLetters, 0),
    organizations: completed.length,
    maxMemoryMb: Object.assign({}, ...completed.map(({ maxMemoryMb }) => maxMemoryMb)) as MaxMemoryMb,
  };
  const deadline = performance.now() + tidiedMs;
  for (;;) {
    const left = await findLeftovers(testbed);
    const violations = [...leftoverViolations(left, expected)];
    if (violations.length === 0 || performance.now() > deadline) {
      const memory = left.peakMemoryMb.map(({ name, mb }) => `${name} ${mb} MB`).join(', ');
      const notes = [`${memory}; Redis ${left.redisMb} MB, ${left.redisKeys} keys`];
      return emptyResult({ ...FINAL_CHECK, violations, notes });
    }
    await delay(POLL_INTERVAL_MS);
  }
}
