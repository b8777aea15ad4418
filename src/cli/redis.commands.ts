import type { Command } from 'commander';
import { PROCESS_ROLES } from '../platform/database/process-rights.js';
import { InvalidFieldError } from '../platform/errors/domain-error.js';
import { processRoleOf, readPassword } from './database.commands.js';
import { redisUser } from './redis-user.js';

export function addRedisCommands(program: Command): void {
  program
    .command('redis')
    .description('users of processes in Redis')
    .command('user')
    .description(
      'print a line for an ACL file with a user that can do only what one role needs; reads the password from standard input',
    )
    .requiredOption('--role <role>', `the role of the process: ${PROCESS_ROLES.join(', ')}`)
    .option('--name <name>', 'name of the user (default: mailbeacon_ and the role)')
    .action(async ({ role, name }: { role: string; name?: string }) => {
      const known = processRoleOf(role);
      const user = name ?? `mailbeacon_${known}`;
      if (!/^[^\s]+$/.test(user)) throw new InvalidFieldError('name', 'must have no spaces');
      process.stdout.write(`${redisUser(known, user, await readPassword())}\n`);
    });
}
