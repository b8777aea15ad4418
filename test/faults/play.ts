import { setTimeout as delay } from 'node:timers/promises';
import { countStreamEntries } from './collect-observations.js';
import { findLeftovers, leftoverViolations } from './leftovers.js';
import type { Testbed } from './testbed/testbed.js';
import { emptyRow, inject, type Injected, type Row } from './run-scenario.js';
import type { Scenario } from './scenario.js';

/** How long is waited once every scenario is in order. */
export interface Timeouts {
  /** A flusher that died keeps its entries for a minute and more before others take them. */
  readonly drainedMs: number;
  /** Jobs of what is done already go away by themselves, and so do files of a spool that was replayed. */
  readonly tidiedMs: number;
}

const USUAL_PATIENCE: Timeouts = { drainedMs: 120_000, tidiedMs: 30_000 };
const LOOK_EVERY_MS = 500;

/** The row of what is left behind in the end. */
export const AFTERWARDS = { id: 'afterwards', fault: 'nothing more: what is left behind' } as const;

/**
 * Plays the scenarios of an act, one fault after the other, then waits for all of them and audits them: all in the
 * end, so that what comes late to the first scenario is still seen.
 */
async function playAct(
  testbed: Testbed,
  act: readonly Scenario[],
  tell: (line: string) => void,
  { drainedMs }: Timeouts,
): Promise<Row[]> {
  const injected: Injected[] = [];
  const skipped: Row[] = [];
  for (const scenario of act) {
    tell(`${scenario.id}: ${scenario.fault}`);
    const missing = scenario.missing?.();
    if (missing === undefined) injected.push(await inject(testbed, scenario));
    else skipped.push(emptyRow({ id: scenario.id, fault: scenario.fault, skipped: missing }));
  }
  tell('waiting until all is in order again');
  await Promise.all(injected.map((each) => each.settle()));
  await becomesDrained(testbed, drainedMs);
  const rows = await Promise.all(injected.map((each) => each.audit()));
  return [...rows, ...skipped];
}

/** Plays act after act. @param tell takes a line about what happens now */
export async function playActs(
  testbed: Testbed,
  acts: readonly (readonly Scenario[])[],
  tell: (line: string) => void,
  timeouts: Timeouts = USUAL_PATIENCE,
): Promise<Row[]> {
  const rows: Row[] = [];
  for (const act of acts) rows.push(...(await playAct(testbed, act, tell, timeouts)));
  const played = acts.flat().filter(({ missing }) => missing?.() === undefined);
  return [...rows, await lookAfterwards(testbed, played, timeouts)];
}

/** Whatever is left in the stream may be stored yet, for the second time perhaps. */
async function becomesDrained(testbed: Testbed, withinMs: number): Promise<void> {
  const giveUpAt = performance.now() + withinMs;
  while ((await countStreamEntries(testbed)) > 0 && performance.now() < giveUpAt) await delay(LOOK_EVERY_MS);
}

async function lookAfterwards(testbed: Testbed, played: readonly Scenario[], { tidiedMs }: Timeouts): Promise<Row> {
  const expected = {
    deadLetters: played.reduce((total, { deadLetters = 0 }) => total + deadLetters, 0),
    organizations: played.length,
  };
  const giveUpAt = performance.now() + tidiedMs;
  for (;;) {
    const left = await findLeftovers(testbed);
    const violations = [...leftoverViolations(left, expected)];
    if (violations.length === 0 || performance.now() > giveUpAt) {
      const memory = left.peakMemoryMb.map(({ name, mb }) => `${name} ${mb} MB`).join(', ');
      const notes = [`${memory}; Redis ${left.redisMb} MB, ${left.redisKeys} keys`];
      return emptyRow({ ...AFTERWARDS, violations, notes });
    }
    await delay(LOOK_EVERY_MS);
  }
}
