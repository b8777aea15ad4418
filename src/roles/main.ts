import { resolve } from 'node:path';
import { inspect } from 'node:util';
import { holdYoungGeneration, keepCompiledCode, letYoungGenerationGrow } from './v8-heap.js';

/** The project's folder, which contains `.env` and `.mailbeacon/`. */
const projectDirectory = resolve(import.meta.dirname, '..', '..');

// Dates in templates must not depend on the host: a retry renders the same bytes elsewhere.
process.env.TZ = 'UTC';

// Must run before the other modules load, hence the dynamic imports below.
holdYoungGeneration();
keepCompiledCode();
await import('reflect-metadata');
const { start } = await import('./start.js');
const { OperatorError } = await import('../platform/errors/operator-error.js');

try {
  await start(projectDirectory);
  letYoungGenerationGrow();
} catch (error) {
  process.stderr.write(`${error instanceof OperatorError ? error.message : inspect(error)}\n`);
  process.exit(1);
}
