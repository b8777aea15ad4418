import type { DomainView } from '../../src/domains/domain-view.js';
import { DnsServer } from '../support/dns-server.js';
import { ownershipOf, publishOwnership } from '../support/domain-owner.js';
import { sendMessage } from '../support/sent-message.js';
import { TestService, type TestClient } from '../support/service.js';

let dns: DnsServer;
let service: TestService;
let owner: TestClient;
let other: TestClient;
let owned: DomainView;

beforeAll(async () => {
  dns = await DnsServer.listen();
  service = await TestService.start({ environment: { DNS_SERVERS: dns.address } });
  [owner, other] = [await service.organization(), await service.organization()];
  owned = await add(owner, 'acme.test');
  publishOwnership(dns, owned);
  expect(await verify(owner, owned)).toMatchObject({ status: 200, body: { status: 'verified' } });
});
afterAll(async () => {
  await service?.stop();
  await dns?.close();
});

async function add(client: TestClient, domain: string): Promise<DomainView> {
  const { status, body } = await client.post<DomainView>('/api/domains', { domain });
  expect(status).toBe(201);
  return body;
}

function verify(client: TestClient, { id }: DomainView) {
  return client.post<DomainView>(`/api/domains/${id}/verify`);
}

/** The From and Reply-To fields of the mail as sent. */
async function send(client: TestClient, from: string, more: object = {}) {
  const email = { from, to: 'reader@example.com', subject: 'S', htmlContent: '<p>x</p>', ...more };
  const { message } = await sendMessage(client, service.mailServer, email);
  const [header] = message.content.toString().split('\r\n\r\n');
  const field = (name: string) => new RegExp(`^${name}: (.*)$`, 'im').exec(header!)?.[1];
  return { from: field('From'), replyTo: field('Reply-To'), signed: /^DKIM-Signature:/im.test(header!) };
}

const REWRITTEN = /@platform\.test>?$/;

describe('V25: a domain cannot be taken over', () => {
  it('an organization that adds the verified domain of another gets its own token and no right to send', async () => {
    const theirs = await add(other, 'acme.test');
    expect(ownershipOf(theirs).value).not.toBe(ownershipOf(owned).value);
    expect(theirs.status).toBe('pending');
    expect(await send(other, 'ceo@acme.test')).toMatchObject({ from: expect.stringMatching(REWRITTEN), signed: false });
    expect((await send(other, 'ceo@news.acme.test')).from).toMatch(REWRITTEN);
    expect((await send(owner, 'ceo@acme.test')).from).toBe('ceo@acme.test');
  });

  it('the record of one organization does not verify the domain for another', async () => {
    const [first, second] = [await add(owner, 'shared.test'), await add(other, 'shared.test')];
    publishOwnership(dns, first);
    const { body } = await verify(other, second);
    expect(body.status).toBe('pending');
    expect(ownershipOf(body)).toMatchObject({ found: false, advice: expect.stringMatching(/another organization/) });
    expect((await send(other, 'ceo@shared.test')).from).toMatch(REWRITTEN);
  });

  it('an organization cannot check, read or delete the domain of another', async () => {
    expect((await verify(other, owned)).status).toBe(404);
    expect((await other.get(`/api/domains/${owned.id}`)).status).toBe(404);
    expect((await other.delete(`/api/domains/${owned.id}`)).status).toBe(404);
    expect((await owner.get(`/api/domains/${owned.id}`)).body).toMatchObject({ status: 'verified' });
  });

  it('owning a subdomain gives no rights to its parent', async () => {
    const sub = await add(other, 'team.parent.test');
    publishOwnership(dns, sub);
    expect((await verify(other, sub)).body.status).toBe('verified');
    expect((await send(other, 'a@team.parent.test')).from).toBe('a@team.parent.test');
    expect((await send(other, 'a@parent.test')).from).toMatch(REWRITTEN);
    expect((await send(other, 'a@otherteam.parent.test')).from).toMatch(REWRITTEN);
  });

  it('a loop of two aliases ends, and verifies nothing', async () => {
    const looped = await add(other, 'loop.test');
    const { name, value } = ownershipOf(looped);
    dns.zone.set(name, [
      { type: 'CNAME', name, ttl: 60, data: 'there.loop.test' },
      { type: 'CNAME', name: 'there.loop.test', ttl: 60, data: name },
      { type: 'TXT', name, ttl: 60, data: value },
    ]);
    expect((await verify(other, looped)).body.status).toBe('pending');
  });
});

describe('V18: a name that resembles another is a different name', () => {
  it.each(['аcme.test', 'acmе.test', 'ácme.test', 'acme-test.test'])('%s', async (domain) => {
    expect((await add(other, domain)).domain).not.toBe('acme.test');
    expect((await send(owner, `ceo@${domain}`)).from).toMatch(REWRITTEN);
  });

  it.each(['ＡＣＭＥ.test', 'acme。test', 'ac\u00adme.test'])(
    '%j is acme.test in DNS and in the API',
    async (domain) => {
      expect((await owner.post('/api/domains', { domain })).status).toBe(409);
    },
  );

  it.each(['ac\u200dme.test', '\u202eacme.test', 'acme\u0000.test'])('%j is not a valid name', async (domain) => {
    expect((await other.post('/api/domains', { domain })).status).toBe(400);
  });
});

describe('V26: a sender is authentic', () => {
  it('stays as written on a verified domain and its subdomains, and so do its replies', async () => {
    expect(await send(owner, 'Ada <ada@acme.test>')).toEqual({ from: 'Ada <ada@acme.test>', signed: true });
    const replyTo = 'help@desk.test';
    expect(await send(owner, 'ada@news.acme.test', { replyTo })).toMatchObject({ from: 'ada@news.acme.test', replyTo });
  });

  it('is rewritten on any other domain, with replies to the original address', async () => {
    expect(await send(owner, 'Ada <ada@bank.test>')).toEqual({
      from: expect.stringMatching(/^Ada <ada-bank-test-\w+@platform\.test>$/),
      replyTo: 'Ada <ada@bank.test>',
      signed: false,
    });
    for (const from of ['a@notacme.test', 'a@acme.test.evil.test', 'a@test']) {
      const email = { from, to: 'r@example.com', subject: 'S', htmlContent: '<p>x</p>' };
      const { status, body } = await owner.post('/api/send', email);
      if (status !== 400) expect(body.from).toMatch(REWRITTEN);
    }
  });

  it.each([
    'a@acme.test, b@evil.test',
    'a@acme.test <b@evil.test>',
    'a@acme.test\r\nSender: b@evil.test',
    '@acme.test',
  ])('is exactly one address: %j', async (from) => {
    const email = { from, to: 'r@example.com', subject: 'S', htmlContent: '<p>x</p>' };
    expect((await owner.post('/api/send', email)).status).toBe(400);
  });

  it.each(['"security@bank.test" <a@evil.test>', 'security＠bank.test <a@evil.test>', '"a@evil.test" <a@evil.test>'])(
    'contains no address in its name when it is rewritten: %s',
    async (from) => {
      expect((await send(other, from)).from).toMatch(/^a-evil-test-\w+@platform\.test$/);
    },
  );

  it('keeps an address in its name quoted, as part of the name', async () => {
    const from = '"ceo@bank.test" <ada@acme.test>';
    expect((await send(owner, from)).from).toBe(from);
  });

  it('has an address on the platform that no other organization has, and that never changes', async () => {
    const ours = await send(owner, 'Billing <billing@acme.example>');
    const theirs = await send(other, 'Billing <billing@acme.example>', { replyTo: 'bob@evil.test' });
    for (const { from } of [ours, theirs]) expect(from).toMatch(/^Billing <billing-acme-example-\w+@platform\.test>$/);
    expect(theirs.from).not.toBe(ours.from);
    expect((await send(owner, 'Billing <BILLING@acme.example>')).from).toBe(ours.from);
  });

  it('is rewritten at once when its domain is deleted', async () => {
    const brief = await add(owner, 'brief.test');
    publishOwnership(dns, brief);
    await verify(owner, brief);
    expect(await send(owner, 'a@brief.test')).toMatchObject({ from: 'a@brief.test', signed: true });
    expect((await owner.delete(`/api/domains/${brief.id}`)).status).toBe(204);
    expect(await send(owner, 'a@brief.test')).toMatchObject({ from: expect.stringMatching(REWRITTEN), signed: false });
  });
});
