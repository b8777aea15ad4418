import { Redis } from 'ioredis';
import type { TrackingDomainView } from '../../src/domains/tracking/tracking-domain-row.js';
import { DomainOwner } from '../support/domain-owner.js';
import { eventually } from '../support/eventually.js';
import { requestRun } from '../support/recurring-runs.js';
import type { TestClient } from '../support/service.js';
import { TRACKING_TARGET, TrackingDomainBed } from '../support/tracking-domain-bed.js';

let bed: TrackingDomainBed;
let client: TestClient;
let hops = 0;

beforeAll(async () => {
  bed = await TrackingDomainBed.start();
  client = await bed.service.organization();
});
afterAll(() => bed?.stop());

it('keeps using a domain while DNS does not respond', async () => {
  const by = await bed.service.organization();
  const domain = await bed.use('silent.example', by);
  bed.dns.zone.set('silent.example', 'silent');
  expect(await bed.verify(domain, by)).toMatchObject({ failingSince: expect.any(String), usedSince: domain.usedSince });
});

it('asks for no proof of ownership below a verified sending domain of the organization', async () => {
  const by = await bed.service.organization();
  const owner = new DomainOwner(by, bed.dns);
  await owner.addOwned('owned.example');
  const domain = await bed.add('click.owned.example', by);
  expect(domain.records.map(({ type }) => type)).toEqual(['CNAME']);
  bed.publish(domain);
  expect(await bed.verify(domain, by)).toMatchObject({ status: 'verified' });
  const other = await bed.add('click.owned.example', client);
  expect(other.records.map(({ type }) => type)).toEqual(['CNAME', 'TXT']);
  expect(await bed.verify(other, client)).toMatchObject({ status: 'pending', usedSince: null });
  await client.delete(`/api/tracking-domains/${other.id}`);
});

it('takes a sending domain as proof of ownership only once it is verified', async () => {
  const by = await bed.service.organization();
  await new DomainOwner(by, bed.dns).add('claimed.example');
  const domain = await bed.add('click.claimed.example', by);
  expect(domain.records.map(({ type }) => type)).toEqual(['CNAME', 'TXT']);
  bed.dns.cname(domain.domain, TRACKING_TARGET);
  expect(await bed.verify(domain, by)).toMatchObject({ status: 'pending', usedSince: null });
});

it('stops using a domain without its alias even while DNS does not respond with the proof of ownership', async () => {
  const by = await bed.service.organization();
  const domain = await bed.use('half.example', by);
  bed.dns.cname('half.example', 'other.example');
  bed.dns.zone.set('_mailbeacon.half.example', 'silent');
  expect(await bed.verify(domain, by)).toMatchObject({ failingSince: expect.any(String), usedSince: null });
});

it('leaves a domain to the organization that verified it first', async () => {
  const [first, second] = [await bed.service.organization(), await bed.service.organization()];
  const [ours, theirs] = [await bed.add('shared.example', first), await bed.add('shared.example', second)];
  bed.publish(ours);
  await bed.verify(ours, first);
  const proof = ({ records }: TrackingDomainView) => records.find(({ type }) => type === 'TXT')!.value;
  bed.dns.txt('_mailbeacon.shared.example', proof(ours), proof(theirs));
  const response = await second.post(`/api/tracking-domains/${theirs.id}/verify`);
  expect(response).toMatchObject({ status: 409, body: { error: expect.stringMatching(/another organization/) } });
});

it('accepts an alias of an earlier name of the tracking hosts', async () => {
  const by = await bed.service.organization();
  const domain = await bed.add('renamed.example', by);
  bed.publish(domain);
  bed.dns.cname('renamed.example', 'old.platform.example');
  bed.dns.cname('old.platform.example', TRACKING_TARGET);
  expect((await bed.verify(domain, by)).records[0]).toMatchObject({ found: true, seen: [TRACKING_TARGET] });
  bed.dns.cname('old.platform.example', 'renamed.example');
  expect((await bed.verify(domain, by)).records[0]).toMatchObject({ found: false, seen: ['old.platform.example'] });
});

const SERVFAIL = { rcode: 2 };
const REFUSED = { rcode: 5 };

it.each([
  ['does not exist', undefined, false],
  ['has no alias', [], false],
  ['is refused', REFUSED, false],
  ['fails', SERVFAIL, true],
  ['does not respond', 'silent' as const, true],
])('stops using a domain whose alias leads to a name that %s, unless that may pass', async (_name, found, isUsed) => {
  const by = await bed.service.organization();
  const domain = await bed.use(`hop-${++hops}.example`, by);
  const next = `next-${hops}.platform.example`;
  bed.dns.cname(domain.domain, next);
  if (found !== undefined) bed.dns.zone.set(next, found);
  const { failingSince, usedSince, records } = await bed.verify(domain, by);
  expect([failingSince, usedSince]).toEqual([expect.any(String), isUsed ? domain.usedSince : null]);
  expect(records[0]!.seen).toEqual(isUsed ? [] : [next]);
});

it('says what is published instead of the alias', async () => {
  const by = await bed.service.organization();
  const domain = await bed.add('elsewhere.example', by);
  bed.publish(domain);
  bed.dns.cname('elsewhere.example', 'other.example');
  const { records, status } = await bed.verify(domain, by);
  expect(status).toBe('pending');
  expect(records[0]).toMatchObject({
    found: false,
    seen: ['other.example'],
    advice: expect.stringMatching(/another host/),
  });
  bed.dns.cname('elsewhere.example', `${TRACKING_TARGET.toUpperCase()}`);
  expect(await bed.verify(domain, by)).toMatchObject({ status: 'verified' });
});

it.each(['co.uk', 'localhost', '127.0.0.1', 'a.platform.test', TRACKING_TARGET, 'track.test', 'https://a.example', ''])(
  'refuses %s',
  async (domain) => {
    const response = await client.post('/api/tracking-domains', { domain });
    expect(response).toMatchObject({ status: 400, body: { details: [{ field: 'domain' }] } });
  },
);

it('limits how many domains an organization has', async () => {
  const by = await bed.service.organization();
  for (const name of ['a', 'b', 'c', 'd', 'e']) await bed.add(`${name}.many.example`, by);
  expect((await by.post('/api/tracking-domains', { domain: 'a.many.example' })).status).toBe(409);
  const response = await by.post('/api/tracking-domains', { domain: 'f.many.example' });
  expect(response).toMatchObject({ status: 409, body: { error: expect.stringMatching(/5 tracking domains/) } });
});

it('records what was done to a domain', async () => {
  const by = await bed.service.organization();
  const { id } = await bed.use('audited.example', by);
  await by.delete(`/api/tracking-domains/${id}`);
  const { body } = await by.get<{ entries: { action: string; target: unknown }[] }>('/api/audit');
  expect(body.entries.map(({ action }) => action).slice(0, 3)).toEqual([
    'tracking-domain.deleted',
    'tracking-domain.verified',
    'tracking-domain.added',
  ]);
});

it('is checked by a worker every hour', async () => {
  const by = await bed.service.organization();
  const domain = await bed.use('hourly.example', by);
  bed.dns.cname('hourly.example', 'other.example');
  bed.pass(3_600_000);
  const redis = new Redis(bed.service.settings.REDIS_URL);
  await requestRun(redis, 'recheck-tracking-domains');
  const { body } = await eventually(async () => {
    const response = await by.get<TrackingDomainView>(`/api/tracking-domains/${domain.id}`);
    return response.body.failingSince !== null && response;
  });
  redis.disconnect();
  expect(body).toMatchObject({ status: 'verified', usedSince: null, checkedAt: new Date(bed.now).toISOString() });
});

describe('GET /internal/tls-check', () => {
  const check = async (query: string) =>
    (await fetch(`${bed.service.operatorAddress}/internal/tls-check${query}`)).status;

  it('knows the names at which the service is reached, also earlier ones', async () => {
    const by = await bed.service.organization();
    const { id } = await bed.use('secure.example', by);
    const pending = await bed.add('pending.example', by);
    expect(await check('?domain=secure.example')).toBe(200);
    expect(await check('?domain=SECURE.example.')).toBe(200);
    expect(await check('?domain=track.test')).toBe(200);
    expect(await check(`?domain=${pending.domain}`)).toBe(404);
    expect(await check('?domain=other.example')).toBe(404);
    await by.delete(`/api/tracking-domains/${id}`);
    expect(await check('?domain=secure.example')).toBe(200);
  });

  it.each(['', '?domain=', '?domain=a&domain=b', `?domain=${'x'.repeat(300)}`])('refuses %s', async (query) => {
    expect(await check(query)).toBe(400);
  });
});
