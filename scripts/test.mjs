import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import process from 'node:process';
import { lateOptimizing } from './late-optimizing.mjs';
import { prepare, project, run } from './prepare.mjs';

// npm test: prepares, runs jest with the arguments given, and ends with a line "N passed, N failed".

/** Tests that start no process, or next to none, and suppose nothing about the time that things take. */
const TIMELESS = [
  '(contacts|deploy|docs|domains|links|organizations|providers|rendering|roles(?!/(flusher|worker))|scripts|structure)/',
  'platform/(config|encryption|http|logging|outbound-http|queue|redis)/',
  'embedded/(encryption-key-file|provide-redis|redis-binary)\\.',
  'events/(?!ingest/)',
].join('|');
/**
 * The faults are played by some fifteen processes whose times suppose half a machine, and beside tests whose own times
 * suppose the other half they would fail each other. Timeless tests have no such times.
 */
const beside = `^${project.replace(/[^\w/]/g, '\\$&')}/test/(faults/|${TIMELESS})`;
const turns = [
  ['--testPathPatterns', beside, '--maxWorkers', '2'],
  ['--testPathIgnorePatterns', '/node_modules/', beside],
];

await prepare();
const chosen = process.argv.slice(2);
const directory = mkdtempSync(join(tmpdir(), 'mailbeacon-result-'));
const total = { passed: 0, failed: 0 };
for (const [turn, parameters] of (chosen.length > 0 ? [chosen] : turns).entries()) {
  const { passed, failed, code } = await runJest(parameters, join(directory, `${turn}.json`));
  total.passed += passed;
  total.failed += failed;
  process.exitCode ||= code;
}
rmSync(directory, { recursive: true, force: true });
console.log(`${total.passed} passed, ${total.failed} failed`);

async function runJest(parameters, resultFile) {
  const nodeOptions = [...lateOptimizing(), '--experimental-vm-modules', '--disable-warning=ExperimentalWarning'];
  const jest = [process.execPath, ...nodeOptions, 'node_modules/jest/bin/jest.js'];
  const code = await run([...jest, '--json', `--outputFile=${resultFile}`, ...parameters]);
  return { ...count(resultFile, code), code };
}

/** A file that cannot even be run counts as a failure, and so does a run without a result. */
function count(resultFile, code) {
  if (!existsSync(resultFile)) return { passed: 0, failed: code === 0 ? 0 : 1 };
  const result = JSON.parse(readFileSync(resultFile, 'utf8'));
  const failed = result.numFailedTests + result.numRuntimeErrorTestSuites;
  return { passed: result.numPassedTests, failed: failed === 0 && code !== 0 ? 1 : failed };
}
