import { resolve } from 'node:path';
import { inspect } from 'node:util';
import { keepTimeInUtc } from '../platform/config/time-zone.js';
import { holdYoungGeneration, keepCompiledCode, letYoungGenerationGrow } from './v8-heap.js';

/** The project's folder, which contains `.env` and `.mailbeacon/`. */
const projectDirectory = resolve(import.meta.dirname, '..', '..');

// Must run before the other modules load, hence the dynamic imports below.
keepTimeInUtc();
holdYoungGeneration();
keepCompiledCode();
await import('reflect-metadata');
const { requestedUsage } = await import('./arguments.js');
const { OperatorError } = await import('../platform/errors/operator-error.js');

try {
  const usage = requestedUsage(process.argv.slice(2));
  if (usage !== undefined) process.stdout.write(usage);
  else await startService();
} catch (error) {
  process.stderr.write(`${error instanceof OperatorError ? error.message : inspect(error)}\n`);
  process.exit(1);
}

async function startService(): Promise<void> {
  const { start } = await import('./start.js');
  await start(projectDirectory);
  letYoungGenerationGrow();
}
