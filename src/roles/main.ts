import 'reflect-metadata';
import { resolve } from 'node:path';
import { inspect } from 'node:util';
import { OperatorError } from '../errors/operator-error.js';
import { start } from './start.js';

/** The project's folder: where `.env` and `.mailbeacon/` live. */
const projectDirectory = resolve(import.meta.dirname, '..', '..');

try {
  await start(projectDirectory);
} catch (error) {
  process.stderr.write(`${error instanceof OperatorError ? error.message : inspect(error)}\n`);
  process.exit(1);
}
