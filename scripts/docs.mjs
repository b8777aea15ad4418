import process from 'node:process';
import { project } from './prepare.mjs';
import { spawnSync } from 'node:child_process';

// npm run docs: writes the pages of docs/ that are made from the code. The tests that hold them against it do so.
const { status } = spawnSync(process.execPath, ['scripts/test.mjs', 'test/docs'], {
  cwd: project,
  stdio: 'inherit',
  env: { ...process.env, UPDATE_DOCS: '1' },
});
process.exitCode = status ?? 1;
