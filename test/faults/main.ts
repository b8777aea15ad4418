import { BY_COMMAND, SUITE } from './catalogue.js';
import { Testbed } from './testbed/testbed.js';
import { runBatches } from './run-batches.js';
import { prove } from './prove/prove.js';
import { formatReport } from './report.js';
import type { ScenarioResult } from './run-scenario.js';
import type { Scenario } from './scenario.js';
import { putRedisOnPath } from '../support/redis-on-path.js';

/**
 * npm run faults [-- F05 F06 … | --all] [--repeat n]. Exits with 1 if an invariant was violated.
 * npm run faults -- --prove [part of a name …]. Exits with 1 if a planted fault was not caught.
 */
const parameters = process.argv.slice(2);
await putRedisOnPath();
if (parameters[0] === '--prove') process.exit((await prove(parameters.slice(1), reportProgress)) ? 0 : 1);
const repeatAt = parameters.indexOf('--repeat');
const repeat = repeatAt === -1 ? 1 : Number(parameters.splice(repeatAt, 2)[1]);
const batches = chooseBatches(parameters);
if (!batches || !(repeat >= 1)) {
  const ids = [...new Set([...SUITE, ...BY_COMMAND].map(({ id }) => id))];
  process.stderr.write(`Usage: npm run faults -- [--all | ${ids.join(' | ')} …] [--repeat n] | --prove\n`);
  process.exit(2);
}

let violated = 0;
for (let round = 1; round <= repeat; round++) {
  const startedAt = performance.now();
  const rows = await runRound(batches);
  const failed = rows.filter(({ violations }) => violations.length > 0).length;
  violated += failed;
  const seconds = Math.round((performance.now() - startedAt) / 1_000);
  process.stdout.write(
    `${formatReport(rows)}\nround ${round} of ${repeat}: ${seconds} s, ${failed} faults violated an invariant\n`,
  );
}
process.exit(violated === 0 ? 0 : 1);

async function runRound(chosen: readonly (readonly Scenario[])[]): Promise<ScenarioResult[]> {
  const testbed = await Testbed.start();
  try {
    return await runBatches(testbed, chosen, reportProgress);
  } finally {
    await testbed.remove();
  }
}

/** The suite is one batch. Each scenario that is given by name is a batch of its own. */
function chooseBatches(names: readonly string[]): readonly (readonly Scenario[])[] | undefined {
  const alone = BY_COMMAND.map((scenario) => [scenario]);
  if (names.length === 0) return [SUITE];
  if (names.length === 1 && names[0] === '--all') return [SUITE, ...alone];
  const chosen = [...SUITE, ...BY_COMMAND].filter(({ id }) => names.includes(id));
  const known = new Set(chosen.map(({ id }) => id));
  return names.every((name) => known.has(name)) ? chosen.map((scenario) => [scenario]) : undefined;
}

function reportProgress(line: string): void {
  process.stderr.write(`${new Date().toISOString().slice(11, 19)} ${line}\n`);
}
