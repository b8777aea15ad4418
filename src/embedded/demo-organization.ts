import { join } from 'node:path';
import { systemClock } from '../platform/clock/clock.js';
import type { RunSettings } from '../platform/config/settings.js';
import type { Database } from '../platform/database/database.js';
import { openDatabase } from '../platform/database/open-database.js';
import { readKey } from '../organizations/key-format.js';
import { Organizations } from '../organizations/organizations.js';
import { Plans } from '../organizations/plans.js';
import { UserAccounts } from '../users/user-accounts.js';
import { UserTokens } from '../users/user-tokens.js';
import { readStateFile, replaceStateFile } from './state-file.js';

export interface DemoOrganization {
  readonly id: string;
  readonly apiKey: string;
}

/** Address of the user who owns the demo organization. No mail is sent to it. */
const DEMO_USER = 'demo@mailbeacon.localhost';
const SIGN_IN_MS = 15 * 60_000;

const FILE = 'demo-organization.json';

/**
 * Returns the demo organization for new users, which is the same at every start, and a token that signs in. The
 * organization exists only in the embedded database. Its API key is stored in the project's folder, because the
 * database has only a hash of it.
 */
export async function provideDemoOrganization(
  settings: RunSettings,
  projectDirectory: string,
): Promise<DemoOrganization & { readonly signInToken: string }> {
  const file = join(projectDirectory, '.mailbeacon', FILE);
  const database = await openDatabase(settings.DATABASE_URL, 2, { pooling: settings.DATABASE_POOLING });
  try {
    const demo = await provideOrganization(settings, database, file);
    return { ...demo, signInToken: await generateSignInToken(database, demo.id) };
  } finally {
    await database.pool.end();
  }
}

async function provideOrganization(settings: RunSettings, database: Database, file: string): Promise<DemoOrganization> {
  const stored = await readStateFile<DemoOrganization>(file);
  if (stored && (await isValid(database, stored))) return stored;
  const { id, apiKey } = await new Organizations(database, new Plans(settings), systemClock).create('Demo', 'pro');
  await replaceStateFile(file, JSON.stringify({ id, apiKey }));
  return { id, apiKey };
}

/** Creates the token of a link that signs in as the owner of the demo organization, once and within 15 minutes. */
async function generateSignInToken(database: Database, organizationId: string): Promise<string> {
  const { id } = await new UserAccounts(database).provide(database, DEMO_USER);
  await database.query(
    `insert into memberships (user_id, organization_id, role) values ($1, $2, 'owner') on conflict do nothing`,
    [id, organizationId],
  );
  return new UserTokens(database, systemClock).create(id, 'sign-in', SIGN_IN_MS);
}

/** Returns the demo organization of this folder, or undefined if there is none. */
export function readDemoOrganization(projectDirectory: string): Promise<DemoOrganization | undefined> {
  return readStateFile(join(projectDirectory, '.mailbeacon', FILE));
}

async function isValid(database: Database, { id, apiKey }: DemoOrganization): Promise<boolean> {
  const key = readKey(apiKey);
  if (!key) return false;
  const found = await database.query(
    'select id from api_keys where id = $1 and secret_hash = $2 and organization_id = $3 and revoked_at is null',
    [key.id, key.secretHash, id],
  );
  return found.length === 1;
}
