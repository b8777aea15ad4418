import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import process from 'node:process';
import { prepare, run } from './prepare.mjs';

// npm test: prepares, runs jest with the arguments given, and ends with a line "N passed, N failed".
await prepare();
const directory = mkdtempSync(join(tmpdir(), 'mailbeacon-result-'));
process.exitCode = await runJest(join(directory, 'result.json'));
rmSync(directory, { recursive: true, force: true });

async function runJest(resultFile) {
  const nodeOptions = ['--experimental-vm-modules', '--disable-warning=ExperimentalWarning'];
  const jest = [process.execPath, ...nodeOptions, 'node_modules/jest/bin/jest.js'];
  const code = await run([...jest, '--json', `--outputFile=${resultFile}`, ...process.argv.slice(2)]);
  const { passed, failed } = count(resultFile, code);
  console.log(`${passed} passed, ${failed} failed`);
  return code;
}

/** A file that cannot even be run counts as a failure, and so does a run without a result. */
function count(resultFile, code) {
  if (!existsSync(resultFile)) return { passed: 0, failed: code === 0 ? 0 : 1 };
  const result = JSON.parse(readFileSync(resultFile, 'utf8'));
  const failed = result.numFailedTests + result.numRuntimeErrorTestSuites;
  return { passed: result.numPassedTests, failed: failed === 0 && code !== 0 ? 1 : failed };
}
