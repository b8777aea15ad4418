import type { DomainView } from '../../src/domains/domain-view.js';
import { CapturedLog } from '../support/captured-log.js';
import { DnsServer } from '../support/dns-server.js';
import type { ScriptedStep } from '../support/scripted-responses.js';
import { sendGridError, SendGridStub } from '../support/sendgrid-stub.js';
import { TestService, type TestClient } from '../support/service.js';

const KEY = 'SG.domains.secret-of-the-account';

let dns: DnsServer;
let sendGrid: SendGridStub;
let service: TestService;
let client: TestClient;
/** All log lines and responses that clients and operators get. */
const log = new CapturedLog('trace', ['api']);
let responses = '';

beforeAll(async () => {
  dns = await DnsServer.listen();
  sendGrid = await SendGridStub.listen();
  sendGrid.apiKey = KEY;
  service = await TestService.start({
    environment: {
      DELIVERY_PROVIDER: 'sendgrid',
      SENDGRID_API_KEY: KEY,
      SENDGRID_API_URL: sendGrid.url,
      DNS_SERVERS: dns.address,
    },
    logger: log.logger,
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

async function add(domain: string, by = client): Promise<DomainView> {
  const { status, body } = await by.post<DomainView>('/api/domains', { domain });
  expect(status).toBe(201);
  responses += JSON.stringify(body);
  return body;
}

async function verify({ id }: DomainView, by = client): Promise<DomainView> {
  const { status, body } = await by.post<DomainView>(`/api/domains/${id}/verify`);
  expect(status).toBe(200);
  responses += JSON.stringify(body);
  return body;
}

const cnames = ({ records }: DomainView) => records.filter(({ type }) => type === 'CNAME');

/** Adds a domain, publishes only its ownership record, and verifies it. */
async function verifyOwned(name: string, by = client): Promise<DomainView> {
  const domain = await add(name, by);
  publishOwnership(domain);
  return verify(domain, by);
}

function publishOwnership({ records }: DomainView): void {
  const { name, value } = records.find(({ purpose }) => purpose === 'ownership')!;
  dns.txt(name, value);
}

/** The authenticated domains of the account with this name. */
const atSendGrid = (name: string) => sendGrid.domains.stored.filter(({ domain }) => domain === name);

it("adds SendGrid's CNAMEs once the ownership is verified, and requests their validation", async () => {
  await verifyOwned('news.acme.test');
  const domain = await add('acme.test');
  expect(domain.notice).toMatch(/DKIM records join .* once the ownership record is found/);
  expect((await verify(domain)).records.map(({ purpose }) => purpose)).toEqual(['ownership', 'dmarc']);
  expect(atSendGrid('acme.test')).toEqual([]);

  publishOwnership(domain);
  const owned = await verify(domain);
  expect(owned).toMatchObject({ status: 'verified', notice: expect.stringMatching(/^Senders .* are rewritten/) });
  const id = atSendGrid('acme.test')[0]?.id;
  expect(owned.records.map(({ type, purpose, name }) => [type, purpose, name])).toEqual([
    ['TXT', 'ownership', '_mailbeacon.acme.test'],
    ['CNAME', 'return-path', `em${id}.acme.test`],
    ['CNAME', 'dkim', 's1._domainkey.acme.test'],
    ['CNAME', 'dkim', 's2._domainkey.acme.test'],
    ['TXT', 'dmarc', '_dmarc.acme.test'],
  ]);
  expect(cnames(owned)[1]).toMatchObject({ value: 's1.domainkey.u7.wl.sendgrid.test' });
  for (const record of cnames(owned)) {
    expect(record).toMatchObject({ found: false, advice: expect.stringMatching(/^Expected CNAME .* was not found/) });
  }
  sendGrid.domains.published = true;
  const whole = await verify(domain);
  expect(whole.notice).toBeNull();
  for (const record of cnames(whole)) expect(record).toMatchObject({ found: true, advice: null });
});

const troubles: Record<string, { step: ScriptedStep; words: RegExp }> = {
  'an error of the API': { step: sendGridError(500, 'boom'), words: /^SendGrid responded with 500/ },
  'a refused key': { step: sendGridError(403, `access forbidden for ${KEY}`), words: /^SendGrid responded with 403/ },
  'a redirect': { step: { status: 302, headers: { location: '/v3/elsewhere' } }, words: /^The connection to SendGrid/ },
  'a page instead of JSON': {
    step: { status: 200, body: '<h1>Hello</h1>' },
    words: /^SendGrid sent an unexpected response/,
  },
  'other JSON': {
    step: { status: 200, body: [{ id: 'x', dns: 7 }, null] },
    words: /^SendGrid sent an unexpected response/,
  },
  'a broken connection': { step: { fault: 'reset' }, words: /^The connection to SendGrid failed/ },
  silence: { step: { fault: 'silence' }, words: /^SendGrid did not respond in time/ },
};

describe.each(Object.entries(troubles))('%s', (name, { step, words }) => {
  const label = name.toLowerCase().replace(/ /g, '-');

  it('does not prevent adding and owning a domain; the records follow later', async () => {
    sendGrid.scripts.add('domains', step);
    const domain = await verifyOwned(`new-${label}.test`);
    expect(domain.notice).toMatch(/DKIM records are missing .* did not respond/);
    expect(cnames(domain)).toEqual([]);
    sendGrid.scripts.clear();
    sendGrid.domains.published = true;
    const whole = await verify(domain);
    expect(whole.notice).toBeNull();
    expect(cnames(whole)).toHaveLength(3);
  });

  it('keeps the known records, and shows the reason', async () => {
    sendGrid.domains.published = true;
    const domain = await verifyOwned(`known-${label}.test`);
    sendGrid.scripts.add('domains', step);
    const looked = await verify(domain);
    expect(looked.notice).toBeNull();
    expect(cnames(looked)).toHaveLength(3);
    for (const record of cnames(looked)) {
      expect(record.advice).toMatch(words);
      expect(record.advice).toMatch(/result of an earlier check. Try again later$/);
    }
  });
});

it('shows the key of the account to no client', () => {
  expect(log.text + responses).toContain('acme.test');
  expect(log.text + responses).not.toContain(KEY);
});
