import { uuidV7 } from '../../src/platform/clock/uuid-v7.js';
import { newEncryptionKey, readEncryptionKeys } from '../../src/platform/encryption/encryption-keys.js';
import { sealContext } from '../../src/platform/encryption/sealed-column.js';
import { SecretBox } from '../../src/platform/encryption/secret-box.js';
import { insertOrganization } from '../support/backlog.js';
import { runCommand } from '../support/command-line.js';
import { openTestDatabase, type OpenTestDatabase } from '../support/test-database.js';

const [lost, older, newer] = [newEncryptionKey('lost'), newEncryptionKey('k1'), newEncryptionKey('k2')];
const column = { table: 'webhook_endpoints', column: 'sealed_secret' };

let opened: OpenTestDatabase;
beforeAll(async () => {
  opened = await openTestDatabase(1);
});
afterAll(() => opened?.close());

/** @returns the ID of a webhook whose secret is sealed with this key */
async function insertWebhook(organizationId: string, key: string): Promise<string> {
  const id = uuidV7(Date.now());
  const sealed = new SecretBox(readEncryptionKeys(key)!).seal('secret', sealContext(column, id));
  await opened.database.query(
    `insert into webhook_endpoints (id, organization_id, url, sealed_secret) values ($1, $2, 'https://a.example', $3)`,
    [id, organizationId, sealed],
  );
  return id;
}

it('`cli encryption reseal` names a secret whose key is lost, and re-encrypts all others', async () => {
  const organization = await insertOrganization(opened.database);
  const unreadable = await insertWebhook(organization, lost);
  const readable = await insertWebhook(organization, older);
  const environment = { DATABASE_URL: opened.url, ENCRYPTION_KEYS: `${newer},${older}` };
  const { code, output } = await runCommand(environment, 'encryption', 'reseal');
  const [row] = await opened.database.query<{ sealed: string }>(
    'select sealed_secret as sealed from webhook_endpoints where id = $1',
    [readable],
  );
  expect(row!.sealed).toMatch(/^v1\.k2\./);
  expect([code, output]).toEqual([1, expect.stringContaining('"resealed": 1')]);
  expect(output).toContain(
    `webhook_endpoints.sealed_secret of ${unreadable}: A secret is sealed with key lost, which is missing in ENCRYPTION_KEYS`,
  );
  expect(output).not.toContain('    at '); // no stack
});
