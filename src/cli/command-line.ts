import { inspect } from 'node:util';
import { Command, CommanderError } from 'commander';
import { DomainError } from '../platform/errors/domain-error.js';
import { OperatorError } from '../platform/errors/operator-error.js';
import { addAuditCommand } from './audit.command.js';
import { addDatabaseCommands } from './database.commands.js';
import { addDeadLetterCommands } from './dead-letter.commands.js';
import { addDemoCommand } from './demo.command.js';
import { addEmailCommands } from './email.commands.js';
import { addDomainCommands } from './domain.commands.js';
import { addEngagementCommands } from './engagement.commands.js';
import { addEncryptionCommands } from './encryption.commands.js';
import { addKeyCommands } from './key.commands.js';
import { addLinkCommands } from './link.commands.js';
import { addMigrateCommand } from './migrate.command.js';
import { addOrganizationCommands } from './organization.commands.js';
import { addRedisCommands } from './redis.commands.js';
import { refuseRepeatedOptions } from './refuse-repeated-options.js';
import { addSeedCommand } from './seed/seed.command.js';
import { addSendGridCommands } from './sendgrid.commands.js';
import { addSigningKeyCommands } from './signing-key.commands.js';
import { addSuppressionCommands } from './suppression.commands.js';
import { addUserCommands } from './user.commands.js';

/**
 * Runs one command and prints its result, or why it failed.
 * @param words the command with its parameters, without the program
 * @returns the exit code of the process
 */
export async function runCommandLine(words: readonly string[], projectDirectory: string): Promise<number> {
  try {
    await commandLine(projectDirectory).parseAsync(words, { from: 'user' });
    return 0;
  } catch (error) {
    // Commander has printed the error or the requested help.
    if (error instanceof CommanderError) return error.exitCode;
    const isPlain = error instanceof OperatorError || error instanceof DomainError;
    process.stderr.write(`${isPlain ? error.message : inspect(error)}\n`);
    return 1;
  }
}

function commandLine(projectDirectory: string): Command {
  const program = new Command('mailbeacon')
    .description('Manages a Mailbeacon installation. Results are JSON on standard output.')
    .showHelpAfterError()
    // Of `org suspend A B`, only A would be suspended.
    .allowExcessArguments(false)
    .exitOverride();
  addOrganizationCommands(program, projectDirectory);
  addKeyCommands(program, projectDirectory);
  addUserCommands(program, projectDirectory);
  addAuditCommand(program, projectDirectory);
  addSigningKeyCommands(program, projectDirectory);
  addLinkCommands(program, projectDirectory);
  addDomainCommands(program, projectDirectory);
  addSuppressionCommands(program, projectDirectory);
  addSendGridCommands(program, projectDirectory);
  addMigrateCommand(program, projectDirectory);
  addDatabaseCommands(program, projectDirectory);
  addRedisCommands(program);
  addDeadLetterCommands(program, projectDirectory);
  addEmailCommands(program, projectDirectory);
  addEngagementCommands(program, projectDirectory);
  addEncryptionCommands(program, projectDirectory);
  addDemoCommand(program, projectDirectory);
  addSeedCommand(program, projectDirectory);
  refuseRepeatedOptions(program);
  return program;
}
