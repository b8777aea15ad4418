import 'reflect-metadata';
import { resolve } from 'node:path';
import { runCommandLine } from './command-line.js';

process.exitCode = await runCommandLine(process.argv.slice(2), resolve(import.meta.dirname, '..', '..'));
