import 'reflect-metadata';
import { resolve } from 'node:path';
import { inspect } from 'node:util';
import { Command } from 'commander';
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
import { addSeedCommand } from './seed/seed.command.js';
import { addSendGridCommands } from './sendgrid.commands.js';
import { addSigningKeyCommands } from './signing-key.commands.js';
import { addSuppressionCommands } from './suppression.commands.js';
import { addUserCommands } from './user.commands.js';

const projectDirectory = resolve(import.meta.dirname, '..', '..');

const program = new Command('mailbeacon')
  .description('Manages a Mailbeacon installation. Results are JSON on standard output.')
  .showHelpAfterError();

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

try {
  await program.parseAsync();
} catch (error) {
  const isPlain = error instanceof OperatorError || error instanceof DomainError;
  process.stderr.write(`${isPlain ? error.message : inspect(error)}\n`);
  process.exitCode = 1;
}
