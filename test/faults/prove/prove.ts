import { Testbed } from '../testbed/testbed.js';
import { playActs } from '../play.js';
import { PatchedBuild } from './patched-build.js';
import type { PlantedFault, ProofStage } from './planted-fault.js';
import { PLANTED_FAULTS } from './planted-faults.js';

/** Shorter than in a fault run: the control runs show first that the unpatched build needs no more. */
const PATIENCE = { drainedMs: 3_000, tidiedMs: 3_000 };
const SHOWN_CHARACTERS = 110;
/** Most of a play is waiting, so two fit on two cores. */
const PLAYS_AT_ONCE = 2;

interface Proof {
  readonly fault: string;
  readonly scenario: string;
  readonly violations: readonly string[];
  readonly seconds: number;
}

/**
 * Plants each fault in a build of its own and plays the scenario that should show it; before, each of those scenarios
 * with the unpatched build, which must violate no invariant.
 * @returns whether every planted fault was caught, and no invariant was violated without one
 */
export async function prove(names: readonly string[], tell: (line: string) => void): Promise<boolean> {
  const begun = performance.now();
  const chosen = PLANTED_FAULTS.filter(({ name }) => names.every((part) => name.includes(part)));
  const stages = [...new Set(chosen.map((fault) => fault.stage))];
  const builds: PatchedBuild[] = [];
  try {
    for (let number = 0; number < PLAYS_AT_ONCE; number++) builds.push(await PatchedBuild.copy());
    const controls = await inTurn(builds, stages, (build, stage) => play(build, 'none', stage, tell));
    const proofs = await inTurn(builds, chosen, (build, fault) => plantAndPlay(build, fault, tell));
    const broken = controls.filter(({ violations }) => violations.length > 0);
    const survivors = proofs.filter(({ violations }) => violations.length === 0);
    for (const { scenario, violations } of broken)
      tell(`without a planted fault, ${scenario} violates ${violations.join('; ')}`);
    const seconds = Math.round((performance.now() - begun) / 1_000);
    process.stdout.write(`${formatProofs([...controls, ...proofs])}\n`);
    process.stdout.write(
      `${chosen.length} planted faults, ${proofs.length - survivors.length} caught, ${survivors.length} not; ` +
        `${controls.length} scenarios without one, ${broken.length} of them violated; ${seconds} s\n`,
    );
    return survivors.length === 0 && broken.length === 0 && chosen.length > 0;
  } finally {
    await Promise.all(builds.map((build) => build.remove()));
  }
}

/** Each build takes the next item when it has done with the one before. Resolves with the results in order. */
async function inTurn<Item, Result>(
  builds: readonly PatchedBuild[],
  items: readonly Item[],
  work: (build: PatchedBuild, item: Item) => Promise<Result>,
): Promise<Result[]> {
  const results: Result[] = [];
  const waiting = items.entries();
  await Promise.all(
    builds.map(async (build) => {
      for (const [index, item] of waiting) results[index] = await work(build, item);
    }),
  );
  return results;
}

async function plantAndPlay(
  build: PatchedBuild,
  { name, patches, stage }: PlantedFault,
  tell: (line: string) => void,
): Promise<Proof> {
  await build.apply(patches);
  try {
    return await play(build, name, stage, tell);
  } finally {
    await build.revert(patches);
  }
}

async function play(
  { program }: PatchedBuild,
  fault: string,
  { scenario, processCounts, withinMs, drainedMs = PATIENCE.drainedMs }: ProofStage,
  tell: (line: string) => void,
): Promise<Proof> {
  const begun = performance.now();
  tell(`${scenario.id}, planted: ${fault}`);
  const testbed = await Testbed.start({ processCounts, program });
  try {
    const rows = await playActs(testbed, [[{ ...scenario, withinMs }]], () => undefined, { ...PATIENCE, drainedMs });
    const violations = rows.flatMap((row) => row.violations);
    const seconds = Math.round((performance.now() - begun) / 1_000);
    tell(`${scenario.id}, planted: ${fault}: caught by ${invariantsIn(violations)} in ${seconds} s`);
    return { fault, scenario: scenario.id, violations, seconds };
  } finally {
    await testbed.remove();
  }
}

/** A Markdown table: what was planted, what caught it, where, and how long that took. */
function formatProofs(proofs: readonly Proof[]): string {
  const head = ['planted fault', 'caught by', 'scenario', 'seconds', 'the first that was seen'];
  const lines = proofs.map(({ fault, violations, scenario, seconds }) => {
    const first = (violations[0] ?? '').replace(/^(L\d|not true): /, '').slice(0, SHOWN_CHARACTERS);
    return [fault, invariantsIn(violations), scenario, String(seconds), first.replaceAll('|', '\\|')];
  });
  const cells = [head, head.map(() => '---'), ...lines];
  return cells.map((line) => `| ${line.join(' | ')} |`).join('\n');
}

/** The invariants that were violated, each once; `script` stands for what a scenario itself expects. */
function invariantsIn(violations: readonly string[]): string {
  const names = violations.map((violation) => /^(L\d): /.exec(violation)?.[1] ?? 'script');
  return names.length === 0 ? 'nothing' : [...new Set(names)].sort().join(', ');
}
