import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import process from 'node:process';
import { lateOptimizing } from './late-optimizing.mjs';
import { prepare, prepareRedis, project, run } from './prepare.mjs';

// npm test: prepares the project, runs jest with the given arguments, and ends with a line "N passed, N failed".

/** The times within which killed processes are detected and restarted assume a machine with half a core to spare. */
const FAULTS = `^${project.replace(/[^\w/]/g, '\\$&')}/test/faults/suite\\.`;
/**
 * The niceness of the other tests while the fault tests run: they get the processor time that the faults leave, at
 * least a quarter.
 */
const NICENESS = 5;

await prepare();
// Otherwise both runs would download it.
await prepareRedis().catch(() => undefined);
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

/** A file that fails to run counts as a failure, and so does a run without a result. */
function count(resultFile, code) {
  if (!existsSync(resultFile)) return { passed: 0, failed: code === 0 ? 0 : 1 };
  const result = JSON.parse(readFileSync(resultFile, 'utf8'));
  const failed = result.numFailedTests + result.numRuntimeErrorTestSuites;
  return { passed: result.numPassedTests, failed: failed === 0 && code !== 0 ? 1 : failed };
}
