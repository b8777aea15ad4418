import type { DomainView } from '../../src/domains/domain-view.js';
import { connectForBlocking, type RedisConnection } from '../../src/platform/redis/connect.js';
import { CapturedLog } from '../support/captured-log.js';
import { DnsServer } from '../support/dns-server.js';
import { ownershipOf, publishOwnership } from '../support/domain-owner.js';
import { eventually } from '../support/eventually.js';
import { lockedOut, whileLocked } from '../support/held-lock.js';
import { hasRunEnded, requestRun, startedRun } from '../support/recurring-runs.js';
import { sendMessage } from '../support/sent-message.js';
import { TestService, type TestClient } from '../support/service.js';

const HOUR = 3_600_000;
const DAY = 24 * HOUR;

let dns: DnsServer;
let workers: TestService[] = [];
let client: TestClient;
let redis: RedisConnection;
const log = new CapturedLog('info', ['worker']);
let passedMs = 0;

/** Two workers that share everything, including the clock. */
beforeAll(async () => {
  dns = await DnsServer.listen();
  const options = {
    environment: { DNS_SERVERS: dns.address },
    clock: { now: () => Date.now() + passedMs },
    logger: log.logger,
  };
  const first = await TestService.start(options);
  workers = [first];
  workers.push(await TestService.start({ ...options, beside: first }));
  client = await first.organization();
  redis = connectForBlocking(first.settings.REDIS_URL);
});
afterAll(async () => {
  redis?.disconnect();
  for (const worker of workers.reverse()) await worker.stop();
  await dns?.close();
});

async function addVerified(name: string, owner = client): Promise<DomainView> {
  const { body: added } = await owner.post<DomainView>('/api/domains', { domain: name });
  publishOwnership(dns, added);
  const { body } = await owner.post<DomainView>(`/api/domains/${added.id}/verify`);
  expect(body).toMatchObject({ status: 'verified' });
  return body;
}

/** Advances the clock, runs the job, and returns the domains as they are then. */
async function recheckAfter(ms: number, ...domains: readonly DomainView[]): Promise<DomainView[]> {
  passedMs += ms;
  const from = Date.now() + passedMs;
  await runJob(1);
  return Promise.all(
    domains.map(({ id }) =>
      eventually(async () => {
        const { body } = await client.get<DomainView>(`/api/domains/${id}`);
        return Date.parse(body.checkedAt!) >= from && body;
      }, 20_000),
    ),
  );
}

async function runJob(times: number): Promise<void> {
  for (let time = 0; time < times; time++) {
    await requestRun(redis, 'recheck-domains');
    // Until a worker has taken it. The next one wakes the worker that has waited longer.
    await eventually(() => startedRun(redis, 'recheck-domains'));
  }
}

async function senderKept(domain: DomainView): Promise<boolean> {
  const from = `ada@${domain.domain}`;
  const email = { from, to: 'reader@example.com', subject: 'S', htmlContent: '<p>x</p>' };
  const { message } = await sendMessage(client, workers[0]!.mailServer, email);
  return message.content.toString().includes(`\nFrom: ${from}`);
}

/** The sum over both workers. */
async function counted(metric: string, label: string, value: string): Promise<number> {
  let sum = 0;
  for (const { metrics } of workers) {
    const { values } = await metrics.getSingleMetric(metric)!.get();
    sum += values.find(({ labels }) => labels[label] === value)?.value ?? 0;
  }
  return sum;
}

const statusOf = ({ status }: DomainView): string => status;

it('withdraws the verification after three days without the record, and restores it when the record is back', async () => {
  const domain = await addVerified('leaving.test');
  const lost = await counted('mailbeacon_domain_changes_total', 'to', 'pending');
  dns.zone.delete(ownershipOf(domain).name);

  const [failing] = await recheckAfter(DAY + HOUR, domain);
  expect(failing).toMatchObject({ status: 'verified', failingSince: failing!.checkedAt });
  expect(log.text).toContain('The ownership record of a verified domain is missing');
  const [tolerated] = await recheckAfter(2 * DAY, domain);
  expect(tolerated).toMatchObject({ status: 'verified', failingSince: failing!.failingSince });
  expect(await senderKept(domain)).toBe(true);
  expect(log.text).not.toContain('lost its verification');

  const [fallen] = await recheckAfter(DAY, domain);
  expect(fallen).toMatchObject({ status: 'pending', verifiedAt: null, failingSince: null });
  expect(await senderKept(domain)).toBe(false);
  expect(log.text).toContain('Domain lost its verification');
  expect(log.text).not.toContain(ownershipOf(domain).value);
  expect(await counted('mailbeacon_domain_changes_total', 'to', 'pending')).toBe(lost + 1);

  publishOwnership(dns, domain);
  const { body: back } = await client.post<DomainView>(`/api/domains/${domain.id}/verify`);
  expect(back).toMatchObject({ status: 'verified', failingSince: null });
  expect(await senderKept(domain)).toBe(true);
});

it('starts a new count once the record was found', async () => {
  const domain = await addVerified('returning.test');
  dns.zone.delete(ownershipOf(domain).name);
  await recheckAfter(DAY + HOUR, domain);
  publishOwnership(dns, domain);
  const [seen] = await recheckAfter(2 * DAY, domain);
  expect(seen).toMatchObject({ status: 'verified', failingSince: null });
  dns.zone.delete(ownershipOf(domain).name);
  await recheckAfter(2 * DAY, domain);
  expect((await recheckAfter(2 * DAY, domain)).map(statusOf)).toEqual(['verified']);
});

it('tolerates two weeks of SERVFAIL or timeouts, which prove nothing about the owner', async () => {
  const domains = [await addVerified('failing.test'), await addVerified('silent.test')];
  const unanswered = await counted('mailbeacon_domain_checks_total', 'ownership', 'unanswered');
  dns.zone.set(ownershipOf(domains[0]!).name, { rcode: 2 });
  dns.zone.set(ownershipOf(domains[1]!).name, 'silent');

  const failing = await recheckAfter(DAY + HOUR, ...domains);
  expect(failing.map(statusOf)).toEqual(['verified', 'verified']);
  expect(failing.every(({ failingSince }) => failingSince !== null)).toBe(true);
  expect(await counted('mailbeacon_domain_checks_total', 'ownership', 'unanswered')).toBe(unanswered + 2);
  expect((await recheckAfter(13 * DAY, ...domains)).map(statusOf)).toEqual(['verified', 'verified']);
  expect((await recheckAfter(DAY, ...domains)).map(statusOf)).toEqual(['pending', 'pending']);
});

it('checks domains without a DNS response again within two hours, and others not before the next day', async () => {
  const [silent, fine] = [await addVerified('hourly.test'), await addVerified('daily.test')];
  dns.zone.set(ownershipOf(silent).name, { rcode: 2 });
  const [, before] = await recheckAfter(DAY + HOUR, silent, fine);
  publishOwnership(dns, silent);
  const [rechecked] = await recheckAfter(2 * HOUR, silent);
  expect(rechecked).toMatchObject({ status: 'verified', failingSince: null });
  const { body: after } = await client.get<DomainView>(`/api/domains/${fine.id}`);
  expect(after.checkedAt).toBe(before!.checkedAt);
});

it('does not let a slow check withdraw what a later check has found', async () => {
  const domain = await addVerified('raced.test');
  const { name } = ownershipOf(domain);
  dns.zone.delete(name);
  await recheckAfter(DAY + HOUR, domain);
  // The check that would end the three days waits for another query until its deadline.
  dns.zone.set('_dmarc.raced.test', 'silent');
  dns.queries.length = 0;
  const unseen = await counted('mailbeacon_domain_checks_total', 'ownership', 'missing');
  passedMs += 4 * DAY;
  await runJob(1);
  await eventually(() => dns.queries.includes(`TXT ${name}`) && dns.queries.includes(`CNAME ${name}`));
  dns.zone.delete('_dmarc.raced.test');
  publishOwnership(dns, domain);
  expect((await client.post(`/api/domains/${domain.id}/verify`)).body).toMatchObject({ status: 'verified' });
  await eventually(async () => (await counted('mailbeacon_domain_checks_total', 'ownership', 'missing')) > unseen);
  await eventually(() => hasRunEnded(redis, 'recheck-domains'));
  const { body } = await client.get<DomainView>(`/api/domains/${domain.id}`);
  expect(body).toMatchObject({ status: 'verified', failingSince: null });
});

it('checks each domain once, even if several workers check at the same time', async () => {
  await workers[0]!.database.query(
    `insert into sending_domains (id, organization_id, domain, status, verified_at, dkim_selector, dkim_public_key)
     select gen_random_uuid(), $1, 'many-' || n || '.test', 'verified', now(), 'mb1', 'key'
       from generate_series(1, 45) n`,
    [client.organizationId],
  );
  dns.queries.length = 0;
  passedMs += DAY + HOUR;
  const from = Date.now() + passedMs;
  await runJob(6);
  await eventually(async () => {
    const { body } = await client.get<{ domains: DomainView[] }>('/api/domains');
    const many = body.domains.filter(({ domain }) => domain.startsWith('many-'));
    return many.every(({ checkedAt }) => checkedAt !== null && Date.parse(checkedAt) >= from);
  }, 20_000);
  await eventually(() => hasRunEnded(redis, 'recheck-domains'));
  const lookups = dns.queries.filter((question) => question.startsWith('TXT _mailbeacon.many-'));
  expect(lookups).toHaveLength(45);
  expect(new Set(lookups).size).toBe(45);
});

it('a check that misses the record does not overwrite one that ended meanwhile', async () => {
  const owner = await workers[0]!.organization();
  const domain = await addVerified('overtaken.test', owner);
  dns.zone.delete(ownershipOf(domain).name);
  let checked: Promise<unknown> | undefined;
  await whileLocked(
    workers[0]!.database,
    (sql) =>
      sql.query(
        `update sending_domains set checked_at = checked_at + interval '1 ms', provider_signs = true where id = $1`,
        [domain.id],
      ),
    async () => {
      checked = owner.post(`/api/domains/${domain.id}/verify`);
      await lockedOut(workers[0]!.database, 1);
    },
  );
  await checked;
  const { body } = await owner.get<DomainView>(`/api/domains/${domain.id}`);
  expect(body).toMatchObject({ status: 'verified', failingSince: null });
  publishOwnership(dns, domain);
});
