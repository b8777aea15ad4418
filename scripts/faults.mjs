import process from 'node:process';
import { prepare, run } from './prepare.mjs';

// npm run faults -- …: see docs/reliability.md.
await prepare();
const loader = ['--import', './test/support/register-typescript.mjs'];
process.exitCode = await run([process.execPath, ...loader, 'test/faults/main.ts', ...process.argv.slice(2)]);
