import { randomUUID } from 'node:crypto';
import type { Database } from '../../src/platform/database/database.js';
import { newEncryptionKey } from '../../src/platform/encryption/encryption-keys.js';
import { insertBacklog, insertOrganization } from '../support/backlog.js';
import { runCommand } from '../support/command-line.js';
import { createTestRedis } from '../support/services.js';
import { openTestDatabase, type OpenTestDatabase } from '../support/test-database.js';

const UNKNOWN = '0190f3a4-7c1e-7a52-9c63-5d2a8a1b4e77';

let opened: OpenTestDatabase;
let database: Database;
let environment: Record<string, string>;
let org: string;

beforeAll(async () => {
  opened = await openTestDatabase(1);
  ({ database } = opened);
  environment = {
    DATABASE_URL: opened.url,
    REDIS_URL: (await createTestRedis()).url,
    ENCRYPTION_KEYS: newEncryptionKey('test'),
  };
  org = await insertOrganization(database);
});
afterAll(() => opened?.close());

const run = (...words: string[]) => runCommand(environment, ...words);
const changes = async () => database.query('select action from audit_entries');

describe('a command that names what does not exist fails, says so and records nothing', () => {
  const noOrganization = 'Organization not found';
  it.each<[string, string, () => string[]]>([
    ['dead-letters redrive', 'No dead letter has the ID', () => ['dead-letters', 'redrive', '--id', UNKNOWN]],
    ['email cancel', `No email has the ID ${UNKNOWN}`, () => ['email', 'cancel', UNKNOWN]],
    [
      'email doubtful settle',
      `No email has the ID ${UNKNOWN}`,
      () => ['email', 'doubtful', 'settle', '--as', 'sent', UNKNOWN],
    ],
    ['email doubtful list', noOrganization, () => ['email', 'doubtful', 'list', '--org', UNKNOWN]],
    ['email retry', noOrganization, () => ['email', 'retry', '--since', '2026-05-04', '--yes', '--org', UNKNOWN]],
    ['audit', noOrganization, () => ['audit', '--org', UNKNOWN]],
    ['audit --export', noOrganization, () => ['audit', '--org', UNKNOWN, '--export', 'csv']],
    ['org suspend', noOrganization, () => ['org', 'suspend', UNKNOWN, '--reason', 'Phishing']],
    ['org resume', noOrganization, () => ['org', 'resume', UNKNOWN]],
    ['org usage', noOrganization, () => ['org', 'usage', UNKNOWN]],
    ['org delete', noOrganization, () => ['org', 'delete', UNKNOWN, '--yes']],
    ['org set-plan', noOrganization, () => ['org', 'set-plan', '--org', UNKNOWN, '--plan', 'pro']],
    ['key list', noOrganization, () => ['key', 'list', '--org', UNKNOWN]],
    ['key revoke', 'not found', () => ['key', 'revoke', '--org', org, '--key', 'AAAAAAAAAAAA']],
    ['user list', noOrganization, () => ['user', 'list', '--org', UNKNOWN]],
    ['user remove', 'not found', () => ['user', 'remove', '--org', org, '--email', 'nobody@example.com']],
    ['user reset', 'not found', () => ['user', 'reset', '--email', 'nobody@example.com']],
    ['domain show', 'not found', () => ['domain', 'show', '--org', org, '--domain', UNKNOWN]],
    ['domain verify', 'not found', () => ['domain', 'verify', '--org', org, '--domain', UNKNOWN]],
    ['domain remove', 'not found', () => ['domain', 'remove', '--org', org, '--domain', UNKNOWN]],
    ['suppressions list', noOrganization, () => ['suppressions', 'list', '--org', UNKNOWN]],
    ['suppressions export', noOrganization, () => ['suppressions', 'export', '--org', UNKNOWN]],
    ['suppressions remove', 'is not suppressed', () => ['suppressions', 'remove', '--org', org, 'nobody@example.com']],
    ['links unblock --host', 'host evil.example is not blocked', () => ['links', 'unblock', '--host', 'evil.example']],
    ['links unblock --org', 'is not blocked: `links list` shows', () => ['links', 'unblock', '--org', org]],
    ['links block --org', noOrganization, () => ['links', 'block', '--org', UNKNOWN]],
    ['links block --email', 'must be the ID', () => ['links', 'block', '--email', UNKNOWN]],
    ['audit', 'target must be one of key, organization,', () => ['audit', '--target', 'webhok:1']],
    ['engagement explain', 'ip must be an IP address', () => ['engagement', 'explain', '--ip', '148.163.130']],
  ])('%s', async (_name, reason, words) => {
    const before = await changes();
    const { code, output } = await run(...words());
    expect({ code, output }).toEqual({ code: 1, output: expect.stringContaining(reason) });
    expect(await changes()).toEqual(before);
  });
});

it('an unknown ID among others does not keep `email cancel` from the others', async () => {
  await insertBacklog(database, org, 1);
  const [email] = await database.query<{ id: string }>('select id from emails');
  const { code, output } = await run('email', 'cancel', UNKNOWN, email!.id);
  expect(code).toBe(1);
  const end = output.indexOf('}') + 1;
  expect(JSON.parse(output.slice(0, end))).toEqual({ canceled: [email!.id], unchanged: [] });
  expect(output.slice(end)).toBe(`\nNo email has the ID ${UNKNOWN}\n`);
});

it('the audit log of an organization of which nothing else is left can be read', async () => {
  const gone = randomUUID();
  await database.query(
    `insert into audit_entries (id, organization_id, actor_kind, actor_id, action, target_kind, target_id)
     values (gen_random_uuid(), $1, 'operator', 'root', 'organization.deleted', 'organization', $2)`,
    [gone, gone],
  );
  const { code, output } = await run('audit', '--org', gone);
  expect(code).toBe(0);
  expect(JSON.parse(output)).toMatchObject([{ action: 'organization.deleted' }]);
});
