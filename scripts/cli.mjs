import process from 'node:process';
import { prepare } from './prepare.mjs';

// npm run --silent cli -- …: what it prints on standard output is the command's alone.
await prepare();
process.setSourceMapsEnabled(true);
process.argv[1] = 'dist/cli/main.js';
await import('../dist/cli/main.js');
