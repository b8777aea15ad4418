import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import process from 'node:process';
import { lateOptimizing } from './late-optimizing.mjs';
import { prepare, project, run } from './prepare.mjs';

// npm test: prepares, runs jest with the arguments given, and ends with a line "N passed, N failed".

/** Killed processes are restarted and found missing within times that suppose a machine with half a core to spare. */
const FAULTS = `^${project.replace(/[^\w/]/g, '\\$&')}/test/faults/suite\\.`;
/** How much the other tests give way to the faults beside them: they get what the faults leave, at least a quarter. */
const NICENESS = 5;

await prepare();
// Otherwise both runs would download it.
const { provideRedisBinary } = await import('../dist/embedded/provide-redis.js');
await provideRedisBinary(join(project, '.mailbeacon'), { report: console.log }).catch(() => undefined);
const chosen = process.argv.slice(2);
const directory = mkdtempSync(join(tmpdir(), 'mailbeacon-result-'));
const total = { passed: 0, failed: 0 };
const runs =
  chosen.length > 0
    ? [runJest(chosen, 'chosen')]
    : [
        runJest(['--testPathPatterns', FAULTS], 'faults', { isLate: true }),
        runJest(['--testPathIgnorePatterns', '/node_modules/', FAULTS], 'others', { niceness: NICENESS }),
      ];
for (const { passed, failed, code } of await Promise.all(runs)) {
  total.passed += passed;
  total.failed += failed;
  process.exitCode ||= code;
}
rmSync(directory, { recursive: true, force: true });
console.log(`${total.passed} passed, ${total.failed} failed`);

/** @param options of `run` */
async function runJest(parameters, name, options) {
  const resultFile = join(directory, `${name}.json`);
  const nodeOptions = [...lateOptimizing(), '--experimental-vm-modules', '--disable-warning=ExperimentalWarning'];
  const jest = [process.execPath, ...nodeOptions, 'node_modules/jest/bin/jest.js'];
  const code = await run([...jest, '--json', `--outputFile=${resultFile}`, ...parameters], {}, options);
  return { ...count(resultFile, code), code };
}

/** A file that cannot even be run counts as a failure, and so does a run without a result. */
function count(resultFile, code) {
  if (!existsSync(resultFile)) return { passed: 0, failed: code === 0 ? 0 : 1 };
  const result = JSON.parse(readFileSync(resultFile, 'utf8'));
  const failed = result.numFailedTests + result.numRuntimeErrorTestSuites;
  return { passed: result.numPassedTests, failed: failed === 0 && code !== 0 ? 1 : failed };
}
