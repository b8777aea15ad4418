import { Writable } from 'node:stream';
import type { DomainView } from '../../src/domains/domain-row.js';
import { createLogger } from '../../src/logging/logger.js';
import { DnsServer } from '../support/dns-server.js';
import { errorAnswer, SendGridStub, type SendGridStep } from '../support/sendgrid-stub.js';
import { TestService, type TestClient } from '../support/service.js';

const KEY = 'SG.domains.secret-of-the-account';

let dns: DnsServer;
let sendGrid: SendGridStub;
let service: TestService;
let client: TestClient;
/** Everything that clients and operators got to see. */
let shown = '';

beforeAll(async () => {
  dns = await DnsServer.listen();
  sendGrid = await SendGridStub.listen();
  sendGrid.apiKey = KEY;
  const destination = new Writable({
    write: (chunk, _encoding, done) => {
      shown += String(chunk);
      done();
    },
  });
  service = await TestService.start({
    environment: {
      DELIVERY_PROVIDER: 'sendgrid',
      SENDGRID_API_KEY: KEY,
      SENDGRID_API_URL: sendGrid.url,
      DNS_SERVERS: dns.address,
    },
    logger: createLogger('trace', ['api'], { destination }),
  });
  client = await service.organization();
});
beforeEach(() => {
  sendGrid.scripts.clear();
  sendGrid.domains.published = false;
});
afterAll(async () => {
  await service?.stop();
  await sendGrid?.close();
  await dns?.close();
});

async function add(domain: string): Promise<DomainView> {
  const { status, body } = await client.post<DomainView>('/api/domains', { domain });
  expect(status).toBe(201);
  shown += JSON.stringify(body);
  return body;
}

async function verify({ id }: DomainView): Promise<DomainView> {
  const { status, body } = await client.post<DomainView>(`/api/domains/${id}/verify`);
  expect(status).toBe(200);
  shown += JSON.stringify(body);
  return body;
}

const cnames = ({ records }: DomainView) => records.filter(({ type }) => type === 'CNAME');

function publishOwnership({ records }: DomainView): void {
  const { name, value } = records.find(({ purpose }) => purpose === 'ownership')!;
  dns.txt(name, value);
}

it("shows SendGrid's CNAMEs instead of a key of ours, and has them validated", async () => {
  await add('news.acme.test');
  const domain = await add('acme.test');
  expect(domain.notice).toBeNull();
  expect(domain.records.map(({ type, purpose, name }) => [type, purpose, name])).toEqual([
    ['TXT', 'ownership', '_mailbeacon.acme.test'],
    ['CNAME', 'return-path', 'em2.acme.test'],
    ['CNAME', 'dkim', 's1._domainkey.acme.test'],
    ['CNAME', 'dkim', 's2._domainkey.acme.test'],
    ['TXT', 'dmarc', '_dmarc.acme.test'],
  ]);
  expect(cnames(domain)[1]).toMatchObject({ value: 's1.domainkey.u7.wl.sendgrid.test', found: false });

  publishOwnership(domain);
  const owned = await verify(domain);
  expect(owned.status).toBe('verified');
  for (const record of cnames(owned)) {
    expect(record).toMatchObject({ found: false, advice: expect.stringMatching(/^Expected CNAME .* was not found/) });
  }
  sendGrid.domains.published = true;
  for (const record of cnames(await verify(domain))) expect(record).toMatchObject({ found: true, advice: null });
});

it('uses a domain that the account has already, and never makes it twice', async () => {
  const first = await add('twice.test');
  await verify(first);
  const other = await service.organization();
  const { body: second } = await other.post<DomainView>('/api/domains', { domain: 'twice.test' });
  expect(cnames(second)).toEqual(cnames(first));
  expect(sendGrid.domains.stored.filter(({ domain }) => domain === 'twice.test')).toHaveLength(1);
});

it('sends through SendGrid from a verified domain as the caller wrote it', async () => {
  const domain = await add('sender.test');
  publishOwnership(domain);
  await verify(domain);
  const email = { from: 'Ada <ada@sender.test>', to: 'r@example.com', subject: 'S', htmlContent: '<p>x</p>' };
  expect((await client.post('/api/send', email)).status).toBe(200);
  expect(sendGrid.messages.at(-1)!.body).toMatchObject({ from: { email: 'ada@sender.test', name: 'Ada' } });
});

const troubles: Record<string, { step: SendGridStep; words: RegExp }> = {
  'an error of the API': { step: errorAnswer(500, 'boom'), words: /^SendGrid answered 500/ },
  'a refused key': { step: errorAnswer(403, `access forbidden for ${KEY}`), words: /^SendGrid answered 403/ },
  'a redirect': { step: { status: 302, headers: { location: '/v3/elsewhere' } }, words: /^The connection to SendGrid/ },
  'a page instead of JSON': {
    step: { status: 200, body: '<h1>Hello</h1>' },
    words: /^SendGrid answered something else/,
  },
  'other JSON': {
    step: { status: 200, body: [{ id: 'x', dns: 7 }, null] },
    words: /^SendGrid answered something else/,
  },
  'a broken connection': { step: { fault: 'reset' }, words: /^The connection to SendGrid failed/ },
  silence: { step: { fault: 'silence' }, words: /^SendGrid did not answer in time/ },
};

describe.each(Object.entries(troubles))('%s', (name, { step, words }) => {
  const label = name.toLowerCase().replace(/ /g, '-');

  it('keeps nobody from adding and owning a domain; the records follow later', async () => {
    sendGrid.scripts.add('domains', step);
    const domain = await add(`new-${label}.test`);
    expect(domain.notice).toMatch(/DKIM records are missing .* could not be asked/);
    expect(cnames(domain)).toEqual([]);
    publishOwnership(domain);
    expect(await verify(domain)).toMatchObject({ status: 'verified', notice: expect.any(String) });
    sendGrid.scripts.clear();
    const whole = await verify(domain);
    expect(whole.notice).toBeNull();
    expect(cnames(whole)).toHaveLength(3);
  }, 40_000);

  it('leaves records as they were known, and says why', async () => {
    const domain = await add(`known-${label}.test`);
    sendGrid.scripts.add('domains', step);
    const looked = await verify(domain);
    expect(cnames(looked)).toHaveLength(3);
    for (const record of cnames(looked)) {
      expect(record.advice).toMatch(words);
      expect(record.advice).toMatch(/what was known before. Try again later$/);
    }
  }, 40_000);
});

it('shows the key of the account to nobody', () => {
  expect(shown).toContain('acme.test');
  expect(shown).not.toContain(KEY);
});
