import process from 'node:process';
import { project } from './prepare.mjs';
import { spawnSync } from 'node:child_process';

// npm run engagement: prints how well the classes of opens and clicks match the labelled requests of
// test/fixtures/engagement.
const { status } = spawnSync(process.execPath, ['scripts/test.mjs', 'test/events/classification/corpus'], {
  cwd: project,
  stdio: 'inherit',
  env: { ...process.env, SHOW_ENGAGEMENT: '1' },
});
process.exitCode = status ?? 1;
