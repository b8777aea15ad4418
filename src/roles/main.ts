import 'reflect-metadata';
import { resolve } from 'node:path';
import { EmbeddedServiceError } from '../config/embedded/embedded-service-error.js';
import { AlreadyRunningError } from '../config/embedded/instance-lock.js';
import { InvalidSettingsError } from '../config/settings.js';
import { SchemaMismatchError } from '../database/migrate.js';
import { start } from './start.js';

/** The project's folder: where `.env` and `.mailbeacon/` live. */
const projectDirectory = resolve(import.meta.dirname, '..', '..');

/** Mistakes of whoever starts the process: their message says what to do, a stack would only hide it. */
const plainErrors = [InvalidSettingsError, EmbeddedServiceError, AlreadyRunningError, SchemaMismatchError];

try {
  await start(projectDirectory);
} catch (error) {
  const isPlain = plainErrors.some((type) => error instanceof type);
  const text = error instanceof Error ? (isPlain ? error.message : (error.stack ?? error.message)) : String(error);
  process.stderr.write(`${text}\n`);
  process.exit(1);
}
