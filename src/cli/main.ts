import 'reflect-metadata';
import { resolve } from 'node:path';
import { Command } from 'commander';
import { InvalidSettingsError } from '../config/settings.js';
import { SchemaMismatchError } from '../database/migrate.js';
import { DomainError } from '../errors/domain-error.js';
import { addDeadLetterCommands } from './dead-letter.commands.js';
import { addDemoCommand } from './demo.command.js';
import { addKeyCommands } from './key.commands.js';
import { addMigrateCommand } from './migrate.command.js';
import { addOrganizationCommands } from './organization.commands.js';

const projectDirectory = resolve(import.meta.dirname, '..', '..');

const program = new Command('mailbeacon')
  .description('Manages a Mailbeacon installation. Results are JSON on standard output.')
  .showHelpAfterError();

addOrganizationCommands(program, projectDirectory);
addKeyCommands(program, projectDirectory);
addMigrateCommand(program, projectDirectory);
addDeadLetterCommands(program, projectDirectory);
addDemoCommand(program, projectDirectory);

/** Errors whose message is made for the person at the keyboard. */
const plainErrors = [DomainError, InvalidSettingsError, SchemaMismatchError];

try {
  await program.parseAsync();
} catch (error) {
  const isPlain = plainErrors.some((type) => error instanceof type);
  process.stderr.write(`${error instanceof Error ? (isPlain ? error.message : error.stack) : String(error)}\n`);
  process.exitCode = 1;
}
