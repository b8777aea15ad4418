import { setTimeout as delay } from 'node:timers/promises';
import { entriesLeft } from './bookkeeper.js';
import type { Plant } from './plant/plant.js';
import { inject, skip, type Injected, type Row } from './run-scenario.js';
import type { Scenario } from './scenario.js';

/** A flusher that died keeps its entries for a minute and more before others take them. */
const DRAINED_WITHIN_MS = 120_000;
const LOOK_EVERY_MS = 500;

/**
 * Plays the scenarios of an act, one fault after the other, then waits for all of them and audits them: all in the
 * end, so that what comes late to the first scenario is still seen.
 */
async function playAct(plant: Plant, act: readonly Scenario[], tell: (line: string) => void): Promise<Row[]> {
  const injected: Injected[] = [];
  const skipped: Row[] = [];
  for (const scenario of act) {
    tell(`${scenario.id}: ${scenario.fault}`);
    const missing = scenario.missing?.();
    if (missing === undefined) injected.push(await inject(plant, scenario));
    else skipped.push(skip(scenario, missing));
  }
  tell('waiting until all is in order again');
  await Promise.all(injected.map((each) => each.settle()));
  const isDrained = await becomesDrained(plant);
  const rows = await Promise.all(injected.map((each) => each.audit()));
  return [...(isDrained ? rows : rows.map(withFullStream)), ...skipped];
}

/** Plays act after act. @param tell takes a line about what happens now */
export async function playActs(
  plant: Plant,
  acts: readonly (readonly Scenario[])[],
  tell: (line: string) => void,
): Promise<Row[]> {
  const rows: Row[] = [];
  for (const act of acts) rows.push(...(await playAct(plant, act, tell)));
  return rows;
}

/** Whatever is left in the stream may be stored yet, for the second time perhaps. */
async function becomesDrained(plant: Plant): Promise<boolean> {
  const giveUpAt = performance.now() + DRAINED_WITHIN_MS;
  while ((await entriesLeft(plant)) > 0) {
    if (performance.now() > giveUpAt) return false;
    await delay(LOOK_EVERY_MS);
  }
  return true;
}

function withFullStream(row: Row): Row {
  return { ...row, breaches: [...row.breaches, `L5: the stream is not empty after ${DRAINED_WITHIN_MS / 1_000} s`] };
}
