import { readdirSync } from 'node:fs';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir, userInfo } from 'node:os';
import { join } from 'node:path';
import { Command } from 'commander';
import { loadSigningKeys } from '../../src/links/signing-key-store.js';
import type { Database } from '../../src/platform/database/database.js';
import type { AuditAction } from '../../src/organizations/audit/audit-actions.js';
import { AuditEntries, type AuditEntryView } from '../../src/organizations/audit/audit-entries.js';
import { openDatabase } from '../../src/platform/database/open-database.js';
import { newEncryptionKey } from '../../src/platform/encryption/encryption-keys.js';
import { insertBacklog, insertOrganization } from '../support/backlog.js';
import { runCommandWith } from '../support/command-line.js';
import { createTestDatabase, createTestRedis, type TestDatabase } from '../support/services.js';

let testDatabase: TestDatabase;
let database: Database;
let environment: Record<string, string>;
let directory: string;
let org: string;
const login = `audit_login_${process.pid}`;

beforeAll(async () => {
  [testDatabase, directory] = await Promise.all([createTestDatabase(), mkdtemp(join(tmpdir(), 'mailbeacon-test-'))]);
  database = await openDatabase(testDatabase.url, 1);
  await loadSigningKeys(database); // the first key, which a rotation follows
  environment = {
    DATABASE_URL: testDatabase.url,
    REDIS_URL: (await createTestRedis()).url,
    ENCRYPTION_KEYS: newEncryptionKey('audit'),
    DNS_SERVERS: '127.0.0.1:9',
  };
  await writeFile(join(directory, 'list.csv'), 'address\nfile@example.com\n');
});
afterAll(async () => {
  await database.query(`drop owned by ${login}`).catch(() => undefined);
  await database.query(`drop role if exists ${login}`);
  await database.pool.end();
  await testDatabase.drop();
  await rm(directory, { recursive: true, force: true });
});

async function run(words: readonly string[], input = ''): Promise<string> {
  const { code, output } = await runCommandWith({ environment, input }, ...words);
  expect([words, code, output]).toEqual([words, 0, expect.anything()]);
  return output;
}

async function audit(...options: string[]): Promise<AuditEntryView[]> {
  return JSON.parse(await run(['audit', ...options])) as AuditEntryView[];
}

async function entries(action: AuditAction): Promise<readonly AuditEntryView[]> {
  return (await new AuditEntries(database).list(null, { action }, { limit: 100 })).items;
}

interface Scenario {
  readonly action: AuditAction;
  readonly words: () => readonly string[] | Promise<readonly string[]>;
  readonly input?: string;
}

const newLogin: Scenario = {
  action: 'database.role-changed',
  words: () => ['database', 'login', '--role', 'worker', '--name', login],
  input: 'a password\n',
};

const keyId = async (): Promise<string> =>
  (JSON.parse(await run(['key', 'create', '--org', org])) as { id: string }).id;
const domainId = async (): Promise<string> => {
  const name = `d${Date.now()}.example.com`;
  return (JSON.parse(await run(['domain', 'add', '--org', org, '--domain', name])) as { id: string }).id;
};

async function emails(): Promise<string> {
  await insertBacklog(database, await insertOrganization(database), 1);
  const [row] = await database.query<{ id: string }>('select email_id as id from pending_emails limit 1');
  return row!.id;
}

async function doubtful(): Promise<string> {
  const id = await emails();
  await database.query('update pending_emails set possible_duplicate = true where email_id = $1', [id]);
  return id;
}

/** A run of every command that changes data. */
const CHANGES: Record<string, Scenario> = {
  'org create': { action: 'organization.created', words: () => ['org', 'create', '--name', 'Another'] },
  'org set-plan': {
    action: 'organization.plan-changed',
    words: () => ['org', 'set-plan', '--org', org, '--plan', 'pro'],
  },
  'org suspend': { action: 'organization.suspended', words: () => ['org', 'suspend', org, '--reason', 'Spam'] },
  'org resume': { action: 'organization.resumed', words: () => ['org', 'resume', org] },
  'org delete': {
    action: 'organization.deleted',
    words: async () => {
      const { id } = JSON.parse(await run(['org', 'create', '--name', 'Gone'])) as { id: string };
      return ['org', 'delete', id, '--yes'];
    },
  },
  'key create': { action: 'key.created', words: () => ['key', 'create', '--org', org] },
  'key revoke': {
    action: 'key.revoked',
    words: async () => ['key', 'revoke', '--org', org, '--key', await keyId()],
  },
  'signing-key rotate': { action: 'signing-key.rotated', words: () => ['signing-key', 'rotate'] },
  'links block': { action: 'links.blocked', words: () => ['links', 'block', '--host', 'bad.example.com'] },
  'links unblock': { action: 'links.unblocked', words: () => ['links', 'unblock', '--host', 'bad.example.com'] },
  'user create': {
    action: 'user.created',
    words: () => ['user', 'create', '--email', 'ada@acme.example', '--org', org, '--role', 'owner'],
  },
  'user reset': {
    action: 'user.password-changed',
    words: () => ['user', 'reset', '--email', 'ada@acme.example'],
  },
  'user remove': {
    action: 'user.deleted',
    words: async () => {
      await run(['user', 'create', '--email', 'bob@acme.example', '--org', org, '--role', 'viewer']);
      return ['user', 'remove', '--email', 'bob@acme.example', '--org', org];
    },
  },
  'domain add': { action: 'domain.added', words: () => ['domain', 'add', '--org', org, '--domain', 'cli.example.com'] },
  'domain verify': {
    action: 'domain.verified',
    words: async () => ['domain', 'verify', '--org', org, '--domain', await domainId()],
  },
  'domain remove': {
    action: 'domain.deleted',
    words: async () => ['domain', 'remove', '--org', org, '--domain', await domainId()],
  },
  'suppressions add': {
    action: 'suppression.added',
    words: () => ['suppressions', 'add', '--org', org, 'jane@example.com'],
  },
  'suppressions remove': {
    action: 'suppression.deleted',
    words: () => ['suppressions', 'remove', '--org', org, 'jane@example.com'],
  },
  'suppressions import': {
    action: 'suppression.imported',
    words: () => ['suppressions', 'import', '--org', org, join(directory, 'list.csv')],
  },
  'database login': newLogin,
  'dead-letters redrive': { action: 'dead-letters.replayed', words: () => ['dead-letters', 'redrive', '--all'] },
  'dead-letters purge': {
    action: 'dead-letters.deleted',
    words: () => ['dead-letters', 'purge', '--older-than', '30'],
  },
  'email retry': {
    action: 'email.retried',
    words: () => ['email', 'retry', '--since', '2026-01-01T00:00:00Z', '--yes'],
  },
  'email cancel': { action: 'email.canceled', words: async () => ['email', 'cancel', await emails()] },
  'email doubtful settle': {
    action: 'email.settled',
    words: async () => ['email', 'doubtful', 'settle', '--as', 'failed', await doubtful()],
  },
  'encryption reseal': { action: 'encryption.key-changed', words: () => ['encryption', 'reseal'] },
};

/** Commands that change nothing in the database, with the reason if the name does not show it. */
const OTHERS = new Set([
  ...['audit', 'org list', 'key list', 'domain list', 'domain show', 'suppressions list', 'suppressions export'],
  ...['dead-letters list', 'email doubtful list', 'links list', 'user list', 'org usage', 'engagement explain'],
  ...['encryption new-key', 'encryption make-keys', 'redis user'], // print a key, write one to a file, print a user
  'migrate', // the table of migrations is its log
  'sendgrid connect', // changes the account at SendGrid, without a database
  ...['seed', 'demo'], // create their organization by the service of `org create`
]);

/** Every command of the command line, as its files add them. */
async function commands(): Promise<string[]> {
  const program = new Command();
  const files = readdirSync('src/cli', { recursive: true, encoding: 'utf8' });
  for (const file of files.filter((name) => /\.commands?\.ts$/.test(name))) {
    const module = (await import(`../../src/cli/${file.replace(/\.ts$/, '.js')}`)) as Record<string, unknown>;
    for (const [name, add] of Object.entries(module)) {
      if (/^add.*Commands?$/.test(name)) (add as (program: Command, directory: string) => void)(program, directory);
    }
  }
  return program.commands.flatMap((command) => leavesOf(command, []));
}

function leavesOf(command: Command, above: readonly string[]): string[] {
  const words = [...above, command.name()];
  return command.commands.length === 0 ? [words.join(' ')] : command.commands.flatMap((one) => leavesOf(one, words));
}

it('every command is classified as changing data or not', async () => {
  const all = await commands();
  expect(all.length).toBeGreaterThan(20);
  expect(all.filter((name) => !(name in CHANGES) && !OTHERS.has(name))).toEqual([]);
});

it('every command that changes data has an entry in the audit log, with the name of the operator', async () => {
  org = (JSON.parse(await run(['org', 'create', '--name', 'Acme'])) as { id: string }).id;
  for (const [name, { action, words, input }] of Object.entries(CHANGES)) {
    const line = await words();
    const before = new Set((await entries(action)).map(({ id }) => id));
    await run(line, input);
    const added = (await entries(action)).filter(({ id }) => !before.has(id));
    const operator = { kind: 'operator', id: userInfo().username };
    expect([name, added.map(({ actor, requestId }) => [actor, requestId])]).toEqual([name, [[operator, null]]]);
  }
});

it('audit filters, limits and exports entries', async () => {
  const keys = await audit('--org', org, '--target', 'key');
  expect(keys.length).toBeGreaterThan(1);
  expect(new Set(keys.map(({ action }) => action))).toEqual(new Set(['key.created', 'key.revoked']));
  expect(await audit('--org', org, '--target', 'key', '--limit', '1')).toEqual([keys[0]]);
  const lines = (await run(['audit', '--org', org, '--target', 'key', '--export', 'ndjson'])).trimEnd().split('\n');
  expect(lines.map((line) => JSON.parse(line) as unknown)).toEqual(keys);
  for (const { kind } of (await audit()).map(({ target }) => target)) await audit('--target', kind);
});
