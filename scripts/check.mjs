import process from 'node:process';
import { prepare, run } from './prepare.mjs';

// npm run check: everything a change must pass.
await prepare();
const steps = [
  ['Format', ['node_modules/prettier/bin/prettier.cjs', '--check', '--log-level', 'warn', '.']],
  ['Lint', ['node_modules/eslint/bin/eslint.js', '--max-warnings', '0', '.']],
  ['Types', ['node_modules/typescript/bin/tsc', '-p', 'tsconfig.check.json']],
  ['Types of the dashboard', ['node_modules/typescript/bin/tsc', '-p', 'packages/dashboard/tsconfig.json']],
  ['Unused files, exports and dependencies', ['node_modules/knip/bin/knip.js', '--no-progress']],
  ['Tests', ['scripts/test.mjs']],
];
for (const [name, arguments_] of steps) {
  console.log(`${name} …`);
  const code = await run([process.execPath, ...arguments_]);
  if (code !== 0) {
    console.error(`${name}: failed`);
    process.exit(code);
  }
}
