import process from 'node:process';
import { prepare } from './prepare.mjs';

// npm start: all roles in this very process, so that signals need no forwarding.
await prepare();
process.setSourceMapsEnabled(true);
await import('../dist/roles/main.js');
