import { text } from 'node:stream/consumers';
import type { Command } from 'commander';
import { provideLogin } from '../platform/database/process-login.js';
import { PROCESS_ROLES, type ProcessRole } from '../platform/database/process-rights.js';
import { InvalidFieldError } from '../platform/errors/domain-error.js';
import { loadSigningKeys } from '../links/signing-key-store.js';
import { AuditLog, operatorOf } from '../organizations/audit/record-audit.js';
import { printJson, withDatabase } from './command-context.js';

export function addDatabaseCommands(program: Command, projectDirectory: string): void {
  const database = program.command('database').description('logins of processes in Postgres');
  database
    .command('login')
    .description('create a login that can do only what one role needs; reads the password from standard input')
    .requiredOption('--role <role>', `the role of the process: ${PROCESS_ROLES.join(', ')}`)
    .option('--name <name>', 'name of the login (default: the name of the database, an underscore and the role)')
    .action(({ role, name }: { role: string; name?: string }) =>
      createLogin(projectDirectory, processRoleOf(role), name),
    );
}

/** @throws InvalidFieldError when no process has that role */
export function processRoleOf(text: string): ProcessRole {
  const known = PROCESS_ROLES.find((role) => role === text);
  if (!known) throw new InvalidFieldError('role', `must be one of ${PROCESS_ROLES.join(', ')}`);
  return known;
}

/** @throws InvalidFieldError when standard input is empty */
export async function readPassword(): Promise<string> {
  const password = (await text(process.stdin)).trim();
  if (password === '') throw new InvalidFieldError('password', 'must be given on standard input');
  return password;
}

async function createLogin(projectDirectory: string, role: ProcessRole, name?: string): Promise<void> {
  const password = await readPassword();
  const login = await withDatabase(projectDirectory, async (database) => {
    await loadSigningKeys(database); // creates the first key, because these logins may not create one
    return database.transaction(async (sql) => {
      const created = await provideLogin(sql, { process: role, name, password });
      const target = { kind: 'database-login', id: created } as const;
      await AuditLog.record(sql, { ...operatorOf(null), action: 'database.role-changed', target });
      return created;
    });
  });
  printJson({ name: login });
}
