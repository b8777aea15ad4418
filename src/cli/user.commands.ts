import type { Command } from 'commander';
import { operatorOf } from '../organizations/audit/record-audit.js';
import { requireOrganization } from '../organizations/organizations.js';
import { systemClock } from '../platform/clock/clock.js';
import type { Database } from '../platform/database/database.js';
import { InvalidFieldError } from '../platform/errors/domain-error.js';
import { MAX_PAGE } from '../platform/http/paging.js';
import { dashboardUrl, passwordLink } from '../users/dashboard-url.js';
import { UserNotFoundError } from '../users/people-errors.js';
import { People } from '../users/people.js';
import { readEmail } from '../users/sessions/session-requests.js';
import { resetAccount } from '../users/reset-account.js';
import { UserAccounts } from '../users/user-accounts.js';
import { INVITATION_MS, RESET_MS, UserTokens } from '../users/user-tokens.js';
import { USER_ROLES, type UserRole } from '../users/user-roles.js';
import { printJson, withDatabase } from './command-context.js';

interface Person {
  readonly email: string;
  readonly org: string;
}

/** The services of the commands, on one database. */
interface Services {
  readonly database: Database;
  readonly accounts: UserAccounts;
  readonly people: People;
  readonly tokens: UserTokens;
  readonly dashboard: string;
}

export function addUserCommands(program: Command, projectDirectory: string): void {
  const user = program.command('user').description('people who sign in to the dashboard');
  user
    .command('create')
    .description('add a user to an organization; prints a link that sets the password, good once within 7 days')
    .requiredOption('--email <address>', 'email address')
    .requiredOption('--org <id>', 'ID of the organization')
    .requiredOption('--role <role>', `what the user may do: ${USER_ROLES.join(', ')}`)
    .action((options: Person & { role: string }) => print(projectDirectory, (services) => create(services, options)));
  user
    .command('list')
    .description("list an organization's users, newest first")
    .requiredOption('--org <id>', 'ID of the organization')
    .action(({ org }: { org: string }) =>
      print(projectDirectory, async ({ database, people }) => {
        await requireOrganization(database, org);
        return (await people.list(org, { limit: MAX_PAGE })).items;
      }),
    );
  user
    .command('remove')
    .description(
      'remove a user from an organization, in all processes within seconds; a user with no other organization is deleted',
    )
    .requiredOption('--email <address>', 'email address')
    .requiredOption('--org <id>', 'ID of the organization')
    .action((options: Person) => print(projectDirectory, (services) => remove(services, options)));
  user
    .command('reset')
    .description('end all sessions of a user; prints a link that sets a new password, good once within an hour')
    .requiredOption('--email <address>', 'email address')
    .option('--second-factor', 'remove the second factor, too, for a user who lost it')
    .action((options: { email: string; secondFactor?: boolean }) =>
      print(projectDirectory, (services) => reset(services, options)),
    );
}

async function create(services: Services, { email, org, role }: Person & { role: string }): Promise<object> {
  const { database, people } = services;
  const known: UserRole | undefined = USER_ROLES.find((name) => name === role);
  if (known === undefined) throw new InvalidFieldError('role', `must be one of ${USER_ROLES.join(', ')}`);
  await requireOrganization(database, org);
  const { id, email: address, passwordHash } = await people.add(operatorOf(org), readEmail(email), known);
  const link = passwordHash === null ? await newLink(services, id, INVITATION_MS) : null;
  return { id, email: address, role: known, link };
}

async function remove({ accounts, people }: Services, { email, org }: Person): Promise<object> {
  const account = await accounts.find(readEmail(email));
  if (!account) throw new UserNotFoundError();
  await people.remove(operatorOf(org), account.id);
  return { email: account.email, removed: true };
}

async function reset(services: Services, { email, secondFactor = false }: { email: string; secondFactor?: boolean }) {
  const { database, accounts } = services;
  const account = await accounts.find(readEmail(email));
  if (!account) throw new UserNotFoundError();
  await resetAccount(database, accounts, account.id, secondFactor);
  return { email: account.email, link: await newLink(services, account.id, RESET_MS) };
}

async function newLink({ tokens, dashboard }: Services, userId: string, lifetimeMs: number): Promise<string> {
  return passwordLink(dashboard, await tokens.create(userId, 'password', lifetimeMs));
}

async function print(projectDirectory: string, work: (services: Services) => Promise<unknown>): Promise<void> {
  const result = await withDatabase(projectDirectory, (database, settings) => {
    const accounts = new UserAccounts(database);
    const dashboard = dashboardUrl(settings);
    const tokens = new UserTokens(database, systemClock);
    return work({ database, accounts, people: new People(database, accounts), tokens, dashboard });
  });
  printJson(result);
}
