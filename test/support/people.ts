import { hashPassword } from '../../src/users/passwords/password-hash.js';
import { People } from '../../src/users/people.js';
import { UserAccounts } from '../../src/users/user-accounts.js';
import type { UserRole } from '../../src/users/user-roles.js';
import { Browser } from './browser.js';
import type { TestService } from './service.js';

export const PASSWORD = 'correct horse battery staple';

let count = 0;

export interface TestUser {
  readonly id: string;
  readonly email: string;
}

/** Creates a user of the organization with the password above. */
export async function newUser(service: TestService, organizationId: string, role: UserRole): Promise<TestUser> {
  const accounts = new UserAccounts(service.database);
  const author = { organizationId, actor: { kind: 'operator', id: 'test' }, requestId: null } as const;
  const { id, email } = await new People(service.database, accounts).add(author, `user${++count}@acme.example`, role);
  await accounts.setPassword(service.database, id, await hashPassword(PASSWORD, service.settings.PASSWORD_LOG_N));
  return { id, email };
}

/** A browser session in which the user has signed in. */
export async function signedIn(service: TestService, { email }: Pick<TestUser, 'email'>): Promise<Browser> {
  const browser = new Browser(service);
  const { status } = await browser.post('/api/session', { email, password: PASSWORD });
  expect(status).toBe(201);
  return browser;
}
