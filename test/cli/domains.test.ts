import { newEncryptionKey } from '../../src/platform/encryption/encryption-keys.js';
import type { DomainView } from '../../src/domains/domain-view.js';
import { DnsServer } from '../support/dns-server.js';
import { runCommand } from '../support/command-line.js';
import { createTestDatabase, type TestDatabase } from '../support/services.js';

const NOBODY = '00000000-0000-7000-8000-000000000000';

let dns: DnsServer;
let database: TestDatabase;
let environment: Record<string, string>;
let organization: string;

beforeAll(async () => {
  dns = await DnsServer.listen();
  database = await createTestDatabase();
  environment = { DATABASE_URL: database.url, DNS_SERVERS: dns.address, ENCRYPTION_KEYS: newEncryptionKey('test') };
  const { output } = await runCommand(environment, 'org', 'create', '--name', 'Acme');
  organization = (JSON.parse(output) as { id: string }).id;
});
afterAll(async () => {
  await database?.drop();
  await dns?.close();
});

async function domain(command: string, ...options: string[]) {
  const { code, output } = await runCommand(environment, 'domain', command, '--org', organization, ...options);
  expect({ code, output }).toMatchObject({ code: 0 });
  return JSON.parse(output) as unknown;
}

it('manages a domain from its addition to its removal', async () => {
  const added = (await domain('add', '--domain', 'Acme.test')) as DomainView;
  expect(added).toMatchObject({ domain: 'acme.test', status: 'pending' });
  expect(await domain('list')).toEqual([added]);
  expect(await domain('show', '--domain', added.id)).toEqual(added);

  const { name, value } = added.records.find(({ purpose }) => purpose === 'ownership')!;
  expect(await domain('verify', '--domain', added.id)).toMatchObject({ status: 'pending' });
  dns.txt(name, value);
  const verified = await domain('verify', '--domain', added.id);
  expect(verified).toMatchObject({ status: 'verified', verifiedAt: expect.any(String) });
  expect(await domain('show', '--domain', added.id)).toEqual(verified);

  expect(await domain('remove', '--domain', added.id)).toEqual({ id: added.id, removed: true });
  expect(await domain('list')).toEqual([]);
});

it.each([
  ['add', (): string => organization, 'https://acme.test', 'domain must be a domain name like example.com'],
  ['add', (): string => NOBODY, 'acme.test', 'Organization not found'],
  ['show', (): string => organization, NOBODY, 'Domain not found'],
  ['verify', (): string => organization, 'acme.test', 'Domain not found'],
  ['remove', (): string => organization, NOBODY, 'Domain not found'],
  ['list', (): string => 'acme', undefined, 'Organization not found'],
] as const)('%s ends with a sentence for what is not there: %#', async (command, org, named, words) => {
  const options = named === undefined ? [] : ['--domain', named];
  const { code, output } = await runCommand(environment, 'domain', command, '--org', org(), ...options);
  expect(code).toBe(1);
  expect(output).toContain(words);
  expect(output).not.toMatch(/\n\s+at |select |insert /);
});
