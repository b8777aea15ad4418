import { DnsServer } from '../support/dns-server.js';
import { DomainOwner } from '../support/domain-owner.js';
import { TestService, type TestClient } from '../support/service.js';
import { LEAD_MS } from '../../src/domains/tracking/base-url-switch.js';
import type { TrackingDomainView } from '../../src/domains/tracking/tracking-domain-row.js';

const TARGET = 'track.platform.example';

let dns: DnsServer;
let now = Date.UTC(2026, 2, 1);
let service: TestService;
let client: TestClient;

beforeAll(async () => {
  dns = await DnsServer.listen();
  const clock = { now: () => now };
  service = await TestService.start({
    clock,
    environment: { DNS_SERVERS: dns.address, TRACKING_DOMAIN_TARGET: TARGET },
  });
  client = await service.organization();
});
afterAll(async () => {
  await service?.stop();
  await dns?.close();
});

async function add(domain: string, by = client): Promise<TrackingDomainView> {
  const { status, body } = await by.post<TrackingDomainView>('/api/tracking-domains', { domain });
  expect(status).toBe(201);
  return body;
}

function publish({ records }: TrackingDomainView): void {
  for (const { type, name, value } of records) {
    if (type === 'TXT') dns.txt(name, value);
    else dns.cname(name, value);
  }
}

async function verify({ id }: TrackingDomainView, by = client): Promise<TrackingDomainView> {
  const { status, body } = await by.post<TrackingDomainView>(`/api/tracking-domains/${id}/verify`);
  expect(status).toBe(200);
  return body;
}

/** Adds, verifies and lets time pass until new emails use the domain. */
async function inUse(domain: string, by = client): Promise<TrackingDomainView> {
  const added = await add(domain, by);
  publish(added);
  const verified = await verify(added, by);
  expect(verified).toMatchObject({ status: 'verified', usedSince: new Date(now + LEAD_MS).toISOString() });
  now += LEAD_MS;
  return verified;
}

interface Sent {
  readonly emailTrackingId: string;
  readonly links: readonly { readonly trackingUrl: string }[];
  readonly pixelUrl: string;
}

const EMAIL = {
  from: 'news@acme.example',
  to: 'reader@example.com',
  subject: 'S',
  htmlContent: '<a href="https://example.com/">x</a>',
};

async function send(by = client, fields: object = {}, headers = {}): Promise<Sent> {
  const { status, body } = await by.post<Sent>('/api/send', { ...EMAIL, ...fields }, headers);
  expect(status).toBe(200);
  return body;
}

/** Everything in the email and in responses about it that begins with a tracking address. */
async function addressesOf({ emailTrackingId, links, pixelUrl }: Sent, by = client): Promise<Set<string>> {
  const { body } = await by.get<Sent>(`/api/emails/${emailTrackingId}`);
  const content = service.mailServer.messages.at(-1)!.content.toString().replace(/=\r\n/g, '').replace(/=3D/g, '=');
  const inMail = content.match(/https?:\/\/[^\s"<>]+(?=\/api\/t\/[a-z]\/)/g) ?? [];
  const urls = [pixelUrl, body.pixelUrl, ...[...links, ...body.links].map(({ trackingUrl }) => trackingUrl)];
  return new Set([...inMail, ...urls.map((url) => new URL(url).origin)]);
}

it('begins all addresses in new emails with a verified domain, and leaves those of earlier emails as they are', async () => {
  const key = { 'idempotency-key': 'before' };
  const before = await send(client, {}, key);
  const added = await add('Click.Acme.example');
  expect(added).toMatchObject({ domain: 'click.acme.example', status: 'pending', usedSince: null });
  expect(added.records.map(({ type, name, purpose }) => [type, name, purpose])).toEqual([
    ['CNAME', 'click.acme.example', 'tracking'],
    ['TXT', '_mailbeacon.click.acme.example', 'ownership'],
  ]);
  expect(added.records[0]!.value).toBe(TARGET);
  publish(added);
  expect(await verify(added)).toMatchObject({ status: 'verified', usedSince: new Date(now + LEAD_MS).toISOString() });
  expect(await addressesOf(await send())).toEqual(new Set(['http://track.test']));
  now += LEAD_MS;
  const after = await send(client, { unsubscribe: true });
  expect(await addressesOf(after)).toEqual(new Set(['https://click.acme.example']));
  expect(await send(client, {}, key)).toEqual(before);

  const { body } = await client.post<Sent>('/api/emails', EMAIL, { 'idempotency-key': 'tracked' });
  expect(body.pixelUrl).toMatch(/^https:\/\/click\.acme\.example\/api\/t\/o\//);
  const again = await client.post<Sent>('/api/emails', EMAIL, { 'idempotency-key': 'tracked' });
  expect(again.body).toEqual(body);
  const [link] = after.links;
  const response = await service.track(link!.trackingUrl, { headers: { host: 'click.acme.example' } });
  expect([response.status, response.headers.get('location')]).toEqual([302, 'https://example.com/']);

  await client.delete(`/api/tracking-domains/${added.id}`);
  now += LEAD_MS;
  expect(await addressesOf(await send())).toEqual(new Set(['http://track.test']));
  expect((await client.get<Sent>(`/api/emails/${after.emailTrackingId}`)).body.pixelUrl).toBe(after.pixelUrl);
});

it('uses the domain that was verified last, and an earlier one again without it', async () => {
  const by = await service.organization();
  await inUse('one.example', by);
  now += 1;
  const second = await inUse('two.example', by);
  expect(await addressesOf(await send(by), by)).toEqual(new Set(['https://two.example']));
  const { body } = await by.get<{ trackingDomains: TrackingDomainView[] }>('/api/tracking-domains');
  expect(body.trackingDomains.map(({ domain, usedSince }) => [domain, usedSince !== null])).toEqual([
    ['two.example', true],
    ['one.example', false],
  ]);
  await by.delete(`/api/tracking-domains/${second.id}`);
  now += LEAD_MS;
  expect(await addressesOf(await send(by), by)).toEqual(new Set(['https://one.example']));
});

it('stops using a domain once a record is missing, and uses it again when it is back', async () => {
  const by = await service.organization();
  const domain = await inUse('back.example', by);
  dns.zone.delete('back.example');
  const failing = await verify(domain, by);
  expect(failing).toMatchObject({ status: 'verified', failingSince: expect.any(String), usedSince: null });
  now += LEAD_MS;
  expect(await addressesOf(await send(by), by)).toEqual(new Set(['http://track.test']));
  dns.zone.set('back.example', 'silent');
  expect(await verify(domain, by)).toMatchObject({ usedSince: null });
  publish(domain);
  expect(await verify(domain, by)).toMatchObject({ failingSince: null, usedSince: expect.any(String) });
});

it('keeps using a domain while DNS does not respond', async () => {
  const by = await service.organization();
  const domain = await inUse('silent.example', by);
  dns.zone.set('silent.example', 'silent');
  expect(await verify(domain, by)).toMatchObject({ failingSince: expect.any(String), usedSince: domain.usedSince });
});

it('asks for no proof of ownership below a verified sending domain of the organization', async () => {
  const by = await service.organization();
  const owner = new DomainOwner(by, dns);
  await owner.addOwned('owned.example');
  const domain = await add('click.owned.example', by);
  expect(domain.records.map(({ type }) => type)).toEqual(['CNAME']);
  publish(domain);
  expect(await verify(domain, by)).toMatchObject({ status: 'verified' });
  const other = await add('click.owned.example', client);
  expect(other.records.map(({ type }) => type)).toEqual(['CNAME', 'TXT']);
  expect(await verify(other)).toMatchObject({ status: 'pending', usedSince: null });
  await client.delete(`/api/tracking-domains/${other.id}`);
});

it('leaves a domain to the organization that verified it first', async () => {
  const [first, second] = [await service.organization(), await service.organization()];
  const [ours, theirs] = [await add('shared.example', first), await add('shared.example', second)];
  publish(ours);
  await verify(ours, first);
  const proof = ({ records }: TrackingDomainView) => records.find(({ type }) => type === 'TXT')!.value;
  dns.txt('_mailbeacon.shared.example', proof(ours), proof(theirs));
  const response = await second.post(`/api/tracking-domains/${theirs.id}/verify`);
  expect(response).toMatchObject({ status: 409, body: { error: expect.stringMatching(/another organization/) } });
});

it('says what is published instead of the alias', async () => {
  const by = await service.organization();
  const domain = await add('elsewhere.example', by);
  publish(domain);
  dns.cname('elsewhere.example', 'other.example');
  const { records, status } = await verify(domain, by);
  expect(status).toBe('pending');
  expect(records[0]).toMatchObject({
    found: false,
    seen: ['other.example'],
    advice: expect.stringMatching(/another host/),
  });
  dns.cname('elsewhere.example', `${TARGET.toUpperCase()}`);
  expect(await verify(domain, by)).toMatchObject({ status: 'verified' });
});

it.each(['co.uk', 'localhost', '127.0.0.1', 'a.platform.test', TARGET, 'track.test', 'https://a.example', ''])(
  'refuses %s',
  async (domain) => {
    const response = await client.post('/api/tracking-domains', { domain });
    expect(response).toMatchObject({ status: 400, body: { details: [{ field: 'domain' }] } });
  },
);

it('limits how many domains an organization has', async () => {
  const by = await service.organization();
  for (const name of ['a', 'b', 'c', 'd', 'e']) await add(`${name}.many.example`, by);
  expect((await by.post('/api/tracking-domains', { domain: 'a.many.example' })).status).toBe(409);
  const response = await by.post('/api/tracking-domains', { domain: 'f.many.example' });
  expect(response).toMatchObject({ status: 409, body: { error: expect.stringMatching(/5 tracking domains/) } });
});

it('records what was done to a domain', async () => {
  const by = await service.organization();
  const { id } = await inUse('audited.example', by);
  await by.delete(`/api/tracking-domains/${id}`);
  const { body } = await by.get<{ entries: { action: string; target: unknown }[] }>('/api/audit');
  expect(body.entries.map(({ action }) => action).slice(0, 3)).toEqual([
    'tracking-domain.deleted',
    'tracking-domain.verified',
    'tracking-domain.added',
  ]);
});

describe('GET /internal/tls-check', () => {
  const check = async (query: string) => (await fetch(`${service.operatorAddress}/internal/tls-check${query}`)).status;

  it('knows the names at which the service is reached, also earlier ones', async () => {
    const by = await service.organization();
    const { id } = await inUse('secure.example', by);
    const pending = await add('pending.example', by);
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
