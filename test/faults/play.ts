import type { Plant } from './plant/plant.js';
import { inject, type Injected, type Row } from './run-scenario.js';
import type { Scenario } from './scenario.js';

/**
 * Plays the scenarios of an act, one fault after the other, then waits for all of them. The books are closed last,
 * so that what comes late to the first scenario is still seen.
 */
async function playAct(plant: Plant, act: readonly Scenario[], tell: (line: string) => void): Promise<Injected[]> {
  const injected: Injected[] = [];
  for (const scenario of act) {
    tell(`${scenario.id}: ${scenario.fault}`);
    injected.push(await inject(plant, scenario));
  }
  tell('waiting until all is in order again');
  await Promise.all(injected.map((each) => each.settle()));
  return injected;
}

/** Plays act after act, and audits all of them in the end. @param tell takes a line about what happens now */
export async function playActs(
  plant: Plant,
  acts: readonly (readonly Scenario[])[],
  tell: (line: string) => void,
): Promise<Row[]> {
  const injected: Injected[] = [];
  for (const act of acts) injected.push(...(await playAct(plant, act, tell)));
  return Promise.all(injected.map((each) => each.audit()));
}
