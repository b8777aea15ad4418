import { Testbed } from '../testbed/testbed.js';
import { runBatches } from '../run-batches.js';
import { PatchedBuild } from './patched-build.js';
import type { PlantedFault, ProofSetup } from './planted-fault.js';
import { PLANTED_FAULTS } from './planted-faults.js';

/** Shorter than in a fault run, for most setups. The control runs show first that the unpatched build needs no more. */
const TIMEOUTS = { drainedMs: 3_000, tidiedMs: 3_000 };
const SHOWN_CHARACTERS = 110;
/** A run mostly waits, so two runs fit on two cores. */
const CONCURRENT_RUNS = 2;

interface Proof {
  readonly fault: string;
  readonly scenario: string;
  readonly violations: readonly string[];
  readonly seconds: number;
  /** Why the run did not come to its end; then it proves nothing. */
  readonly failure?: string;
}

/**
 * Plants each fault in a private build and runs the scenario that should detect it. Before that, it runs each of those
 * scenarios with the unpatched build, which must violate no invariant.
 * @returns whether every planted fault was caught and the control runs violated no invariant
 */
export async function prove(names: readonly string[], report: (line: string) => void): Promise<boolean> {
  const startedAt = performance.now();
  const chosen = PLANTED_FAULTS.filter(({ name }) => names.every((part) => name.includes(part)));
  const setups = [...new Set(chosen.map((fault) => fault.setup))];
  const builds: PatchedBuild[] = [];
  try {
    for (let number = 0; number < CONCURRENT_RUNS; number++) builds.push(await PatchedBuild.copy());
    const controls = await inTurn(builds, setups, (build, setup) => runProof(build, 'none', setup, report));
    const proofs = await inTurn(builds, chosen, (build, fault) => plantAndRun(build, fault, report));
    const broken = controls.filter(({ violations }) => violations.length > 0);
    const unfinished = [...controls, ...proofs].filter(({ failure }) => failure !== undefined);
    const survivors = proofs.filter(({ violations, failure }) => violations.length === 0 && failure === undefined);
    const caught = proofs.filter(({ violations }) => violations.length > 0);
    for (const { scenario, violations } of broken)
      report(`without a planted fault, ${scenario} violates ${violations.join('; ')}`);
    const seconds = Math.round((performance.now() - startedAt) / 1_000);
    process.stdout.write(`${formatProofs([...controls, ...proofs])}\n`);
    process.stdout.write(
      `${chosen.length} planted faults, ${caught.length} caught, ${survivors.length} not; ` +
        `${controls.length} scenarios without one, ${broken.length} of them violated; ` +
        `${unfinished.length} runs did not finish; ${seconds} s\n`,
    );
    return survivors.length + broken.length + unfinished.length === 0 && chosen.length > 0;
  } finally {
    await Promise.all(builds.map((build) => build.remove()));
  }
}

/** Each build takes the next item when it has finished the previous one. Resolves with the results in order. */
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

async function plantAndRun(
  build: PatchedBuild,
  { name, patches, setup }: PlantedFault,
  report: (line: string) => void,
): Promise<Proof> {
  await build.apply(patches);
  try {
    return await runProof(build, name, setup, report);
  } finally {
    await build.revert(patches);
  }
}

async function runProof(
  { program }: PatchedBuild,
  fault: string,
  { scenario, processCounts, withinMs, ...timeouts }: ProofSetup,
  report: (line: string) => void,
): Promise<Proof> {
  const startedAt = performance.now();
  report(`${scenario.id}, planted: ${fault}`);
  const seconds = (): number => Math.round((performance.now() - startedAt) / 1_000);
  let testbed: Testbed | undefined;
  try {
    testbed = await Testbed.start({ processCounts, program });
    const rows = await runBatches(testbed, [[{ ...scenario, withinMs }]], () => undefined, {
      ...TIMEOUTS,
      ...timeouts,
    });
    const violations = rows.flatMap((row) => row.violations);
    report(`${scenario.id}, planted: ${fault}: caught by ${invariantsIn(violations)} in ${seconds()} s`);
    return { fault, scenario: scenario.id, violations, seconds: seconds() };
  } catch (error) {
    // One run that a busy machine ends must not cost the results of all others.
    report(`${scenario.id}, planted: ${fault}: did not finish: ${String(error)}`);
    return { fault, scenario: scenario.id, violations: [], seconds: seconds(), failure: String(error) };
  } finally {
    await testbed?.remove();
  }
}

/** A Markdown table: the planted fault, what caught it, in which scenario, and how long that took. */
function formatProofs(proofs: readonly Proof[]): string {
  const head = ['planted fault', 'caught by', 'scenario', 'seconds', 'first violation'];
  const lines = proofs.map(({ fault, violations, scenario, seconds, failure }) => {
    const first = (violations[0] ?? '').replace(/^(L\d|expectation failed): /, '').slice(0, SHOWN_CHARACTERS);
    const outcome = failure === undefined ? invariantsIn(violations) : 'did not finish';
    return [fault, outcome, scenario, String(seconds), (failure ?? first).replaceAll('|', '\\|')];
  });
  const cells = [head, head.map(() => '---'), ...lines];
  return cells.map((line) => `| ${line.join(' | ')} |`).join('\n');
}

/** The violated invariants, each once; `expectation` stands for the expectations of a scenario. */
function invariantsIn(violations: readonly string[]): string {
  const names = violations.map((violation) => /^(L\d): /.exec(violation)?.[1] ?? 'expectation');
  return names.length === 0 ? 'nothing' : [...new Set(names)].sort().join(', ');
}
