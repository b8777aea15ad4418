import { ProviderDomainRemovals } from '../../src/domains/provider-domain-removals.js';
import { SenderAuthenticationError } from '../../src/providers/sender-authentication.js';
import { insertOrganization } from '../support/backlog.js';
import { CapturedLog } from '../support/captured-log.js';
import { openTestDatabase, type OpenTestDatabase } from '../support/test-database.js';

let open: OpenTestDatabase;
beforeAll(async () => void (open = await openTestDatabase(2)));
afterAll(() => open?.close());

it('a domain that an organization adds while another is removed stays', async () => {
  const { database } = open;
  const organizationId = await insertOrganization(database);
  await database.query(
    `insert into provider_domain_removals (provider_domain_id, domain) values ('1', 'one.test'), ('2', 'two.test')`,
  );
  const removed: string[] = [];
  const provider = {
    validate: () => Promise.reject(new Error()),
    remove: async (id: string): Promise<void> => {
      removed.push(id);
      await database.query(
        `insert into sending_domains (id, organization_id, domain, status) values (gen_random_uuid(), $1, 'two.test', 'pending')`,
        [organizationId],
      );
    },
  };
  await new ProviderDomainRemovals(database, provider, new CapturedLog('warn', ['worker']).logger).run(
    new AbortController().signal,
  );
  expect(removed).toEqual(['1']);
  await database.query('delete from provider_domain_removals');
});

it('domains that the provider never removes do not keep later ones from being removed', async () => {
  const { database } = open;
  await database.query(
    `insert into provider_domain_removals (provider_domain_id, domain, created_at)
     select n::text, 'd' || n || '.test', now() - (1000 - n) * interval '1 minute' from generate_series(1, 130) n`,
  );
  const refused = 120;
  const tried: string[] = [];
  const provider = {
    validate: () => Promise.reject(new Error()),
    remove: async (id: string): Promise<void> => {
      tried.push(id);
      if (Number(id) <= refused) throw new SenderAuthenticationError('The domain is in use', true);
    },
  };
  await new ProviderDomainRemovals(database, provider, new CapturedLog('warn', ['worker']).logger).run(
    new AbortController().signal,
  );
  expect(new Set(tried).size).toBe(tried.length);
  expect(await database.query('select from provider_domain_removals')).toHaveLength(refused);
});
