import { randomUUID } from 'node:crypto';
import { generateDkimKey } from '../../src/domains/dkim-keys.js';
import { SenderDomains } from '../../src/domains/sender-domains.js';
import type { Settings } from '../../src/platform/config/settings.js';
import { newEncryptionKey, readEncryptionKeys } from '../../src/platform/encryption/encryption-keys.js';
import { SecretBox } from '../../src/platform/encryption/secret-box.js';
import { insertOrganization } from '../support/backlog.js';
import { openTestDatabase, type OpenTestDatabase } from '../support/test-database.js';

let open: OpenTestDatabase;
beforeAll(async () => void (open = await openTestDatabase()));
afterAll(() => open?.close());

it('mail from a verified subdomain without a key is signed with the key of its verified parent', async () => {
  const { database } = open;
  const box = new SecretBox(readEncryptionKeys(newEncryptionKey('k1'))!);
  const [organizationId, parent, child] = [await insertOrganization(database), randomUUID(), randomUUID()];
  const { selector, publicKey, sealed } = await generateDkimKey(box, parent);
  await database.query(
    `insert into sending_domains (id, organization_id, domain, status, dkim_selector, dkim_public_key, sealed_dkim_key)
     values ($1, $3, 'acme.example', 'verified', $4, $5, $6), ($2, $3, 'mail.acme.example', 'verified', null, null, null)`,
    [parent, child, organizationId, selector, publicKey, sealed],
  );
  const settings = { PROVIDER: 'smtp' } as unknown as Settings;
  const found = await new SenderDomains(database, box, settings, { now: () => 0 }).find(
    organizationId,
    'mail.acme.example',
  );
  expect(found).toMatchObject({ id: child, dkim: { domain: 'acme.example', selector } });
});

it('a domain is found as soon as it is verified, although it was looked up right before', async () => {
  const { database } = open;
  const organizationId = await insertOrganization(database);
  const box = new SecretBox(readEncryptionKeys(newEncryptionKey('k1'))!);
  const settings = { PROVIDER: 'smtp' } as unknown as Settings;
  const domains = new SenderDomains(database, box, settings, { now: () => 0 });
  expect(await domains.find(organizationId, 'shop.example')).toBeUndefined();
  const id = randomUUID();
  await database.query(
    `insert into sending_domains (id, organization_id, domain, status) values ($1, $2, 'shop.example', 'verified')`,
    [id, organizationId],
  );
  expect(await domains.find(organizationId, 'shop.example')).toEqual({ id });
});
