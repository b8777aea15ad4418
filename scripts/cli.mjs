import process from 'node:process';
import { prepare } from './prepare.mjs';

// npm run --silent cli -- …: standard output contains only the output of the command.
await prepare();
process.setSourceMapsEnabled(true);
process.argv[1] = 'dist/cli/main.js';
await import('../dist/cli/main.js');
