import { SendingDomainNotFoundError } from '../../src/domains/domain-errors.js';
import { DomainRechecks } from '../../src/domains/domain-rechecks.js';
import { DueRechecks } from '../../src/domains/due-rechecks.js';
import { ProviderDomainRemovals } from '../../src/domains/provider-domain-removals.js';
import { insertOrganization } from '../support/backlog.js';
import { CapturedLog } from '../support/captured-log.js';
import { openTestDatabase, type OpenTestDatabase } from '../support/test-database.js';

let open: OpenTestDatabase;
beforeAll(async () => void (open = await openTestDatabase(2)));
afterAll(() => open?.close());

it('once its process stops, the job claims no more domains and reports none', async () => {
  const { database } = open;
  const organizationId = await insertOrganization(database);
  await database.query(
    `insert into sending_domains (id, organization_id, domain, status, verified_at, dkim_selector, dkim_public_key)
     select gen_random_uuid(), $1, 'many-' || n || '.test', 'verified', now(), 'mb1', 'key' from generate_series(1, 45) n`,
    [organizationId],
  );
  const log = new CapturedLog('warn', ['worker']);
  const stop = new AbortController();
  let checks = 0;
  const verification = {
    check: () => {
      checks++;
      stop.abort();
      return Promise.reject(new Error('The pool has ended'));
    },
  };
  const removals = new ProviderDomainRemovals(database, undefined, log.logger);
  const rechecks = new DomainRechecks(new DueRechecks(database, Date, log.logger), verification as never, removals);
  await rechecks.run(stop.signal);
  expect(checks).toBe(20);
  expect(await database.query('select from sending_domains where recheck_at is not null')).toHaveLength(20);
  expect(log.text).toBe('');
});

it('the job reports a check that failed, except for a domain that was deleted meanwhile', async () => {
  const { database } = open;
  await database.query('update sending_domains set recheck_at = null');
  const log = new CapturedLog('warn', ['worker']);
  const checked: string[] = [];
  const verification = {
    check: ({ id }: { id: string }) =>
      Promise.reject(checked.push(id) === 1 ? new SendingDomainNotFoundError() : new Error('Postgres is down')),
  };
  const removals = new ProviderDomainRemovals(database, undefined, log.logger);
  const rechecks = new DomainRechecks(new DueRechecks(database, Date, log.logger), verification as never, removals);
  await rechecks.run(new AbortController().signal);
  const [deleted, ...others] = checked;
  expect(others).toHaveLength(44);
  for (const id of others) expect(log.text).toContain(id);
  expect(log.text).not.toContain(deleted);
});

it('once its process stops, the job removes no more domains from the account of the provider', async () => {
  const { database } = open;
  await database.query(
    `insert into provider_domain_removals (provider_domain_id, domain) values ('1', 'one.test'), ('2', 'two.test')`,
  );
  const stop = new AbortController();
  const provider = { validate: () => Promise.reject(new Error()), remove: async () => stop.abort() };
  const removals = new ProviderDomainRemovals(database, provider, new CapturedLog('warn', ['worker']).logger);
  await removals.run(stop.signal);
  expect(await database.query('select from provider_domain_removals')).toHaveLength(1);
});
