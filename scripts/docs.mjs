import process from 'node:process';
import { project } from './prepare.mjs';
import { spawnSync } from 'node:child_process';

// npm run docs: writes the pages of docs/ that are generated from the code. The tests that compare them with the code
// do the work.
const { status } = spawnSync(process.execPath, ['scripts/test.mjs', 'test/docs'], {
  cwd: project,
  stdio: 'inherit',
  env: { ...process.env, UPDATE_DOCS: '1' },
});
process.exitCode = status ?? 1;
