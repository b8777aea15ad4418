import type { DomainView } from '../../src/domains/domain-view.js';
import { DnsServer } from '../support/dns-server.js';
import { DomainOwner } from '../support/domain-owner.js';
import { eventually } from '../support/eventually.js';
import { runRecurringJobs } from '../support/recurring-runs.js';
import { sendGridError, SendGridStub } from '../support/sendgrid-stub.js';
import { sendMessage } from '../support/sent-message.js';
import { AWAIT_RESULT, TestService, type TestClient } from '../support/service.js';
import { throughSendGrid } from '../support/through-sendgrid.js';

let dns: DnsServer;
let sendGrid: SendGridStub;
let service: TestService;
let client: TestClient;
let owner: DomainOwner;

beforeAll(async () => {
  dns = await DnsServer.listen();
  sendGrid = await SendGridStub.listen();
  service = await TestService.start({
    environment: {
      ...AWAIT_RESULT,
      ...throughSendGrid(sendGrid),
      DNS_SERVERS: dns.address,
    },
  });
  client = await service.organization();
  owner = new DomainOwner(client, dns);
});
beforeEach(() => {
  sendGrid.scripts.clear();
  sendGrid.domains.published = false;
  sendGrid.domains.kept = undefined;
  sendGrid.domains.missing = undefined;
});
afterAll(async () => {
  await service?.stop();
  await sendGrid?.close();
  await dns?.close();
});

const tidyUp = () => runRecurringJobs(service.settings.REDIS_URL, ['recheck-domains']);

/** The authenticated domains of the account with this name. */
const atSendGrid = (name: string) => sendGrid.domains.stored.filter(({ domain }) => domain === name);

it('uses a domain that the account has already, never creates it twice, and keeps it when its row is deleted', async () => {
  sendGrid.domains.respond('POST', '/v3/whitelabel/domains', JSON.stringify({ domain: 'twice.test' }));
  const domain = await owner.addOwned('twice.test');
  expect(domain.records).toHaveLength(5);
  await owner.remove(domain);
  await tidyUp();
  expect(atSendGrid('twice.test')).toHaveLength(1);
});

it('finds a domain of the account among many with similar names', async () => {
  const names = Array.from({ length: 120 }, (_, number) => `similar.test.${number}.other.test`);
  for (const domain of [...names, 'similar.test'])
    sendGrid.domains.respond('POST', '/v3/whitelabel/domains', JSON.stringify({ domain }));
  await owner.addOwned('similar.test');
  expect(atSendGrid('similar.test')).toHaveLength(1);
});

describe('what the service created in the account for a domain', () => {
  it('is removed when the domain is deleted, as soon as SendGrid accepts that', async () => {
    const domain = await owner.addOwned('brief.test');
    expect(atSendGrid('brief.test')).toHaveLength(1);
    await owner.remove(domain);
    sendGrid.scripts.add('domains', sendGridError(500, 'boom'), 1);
    await tidyUp();
    expect(atSendGrid('brief.test')).toHaveLength(1);
    await tidyUp();
    expect(atSendGrid('brief.test')).toEqual([]);
    expect(await service.database.query('select from provider_domain_removals')).toEqual([]);
  });

  it('stays for the organization that has verified the domain since then', async () => {
    const domain = await owner.addOwned('handed.test');
    await owner.remove(domain);
    const next = await new DomainOwner(await service.organization(), dns).addOwned('handed.test');
    await tidyUp();
    expect(atSendGrid('handed.test')).toHaveLength(1);
    expect(next.status).toBe('verified');
    const [row] = await service.database.query('select provider_domain_id from sending_domains where id = $1', [
      next.id,
    ]);
    expect(row).toEqual({ provider_domain_id: String(atSendGrid('handed.test')[0]!.id) });
  });

  it('is removed although SendGrid refuses to remove another', async () => {
    const [kept, gone] = [await owner.addOwned('kept.test'), await owner.addOwned('gone.test')];
    sendGrid.domains.kept = atSendGrid('kept.test')[0]!.id;
    await owner.remove(kept);
    await owner.remove(gone);
    await tidyUp();
    await tidyUp();
    expect(atSendGrid('gone.test')).toEqual([]);
    expect(atSendGrid('kept.test')).toHaveLength(1);
    sendGrid.domains.kept = undefined;
    await tidyUp();
    expect(atSendGrid('kept.test')).toEqual([]);
  });

  it('stays while another organization is about to verify the domain', async () => {
    const domain = await owner.addOwned('passed-on.test');
    const [stored] = atSendGrid('passed-on.test');
    await owner.remove(domain);
    const next = new DomainOwner(await service.organization(), dns);
    const pending = await next.add('passed-on.test');
    next.publishOwnership(pending);
    sendGrid.domains.published = true;
    // SendGrid responds to the validation while the job removes domains.
    let go = (): void => undefined;
    const after = new Promise<void>((resolve) => (go = resolve));
    sendGrid.scripts.add('domains', { status: 200, body: [stored] }, 1);
    sendGrid.scripts.add(
      'domains',
      { ...sendGrid.domains.respond('POST', `/v3/whitelabel/domains/${stored!.id}/validate`, ''), after },
      1,
    );
    const before = sendGrid.scripts.played;
    const verifying = next.verify(pending);
    await eventually(() => sendGrid.scripts.played === before + 2);
    await tidyUp();
    go();
    expect(await verifying).toMatchObject({ status: 'verified', notice: null });
    expect(atSendGrid('passed-on.test')).toHaveLength(1);
    await next.remove(pending);
    await tidyUp();
    expect(atSendGrid('passed-on.test')).toEqual([]);
  });

  it('is also removed if the domain was deleted while it was being created', async () => {
    const domain = await owner.add('quick.test');
    owner.publishOwnership(domain);
    let go = (): void => undefined;
    const after = new Promise<void>((resolve) => (go = resolve));
    sendGrid.scripts.add('domains', { status: 200, body: [], after }, 1);
    const before = sendGrid.scripts.played;
    const verifying = client.post(`/api/domains/${domain.id}/verify`);
    await eventually(() => sendGrid.scripts.played > before);
    await owner.remove(domain);
    go();
    expect((await verifying).status).toBe(404);
    expect(atSendGrid('quick.test')).toHaveLength(1);
    await tidyUp();
    expect(atSendGrid('quick.test')).toEqual([]);
  });
});

describe('a sender on a verified domain', () => {
  async function sentFrom(domain = 'sender.test'): Promise<unknown> {
    const email = { from: `Ada <ada@${domain}>`, to: 'r@example.com', subject: 'S', htmlContent: '<p>x</p>' };
    return (await sendMessage(client, sendGrid, email)).message.body;
  }

  it('is rewritten until SendGrid can sign for the domain, then stays as the caller wrote it', async () => {
    const domain = await owner.addOwned('sender.test');
    expect(domain.notice).toMatch(/Senders on this domain are rewritten: .* Publish them/);
    expect(await sentFrom()).toMatchObject({
      from: { email: expect.stringMatching(/^ada-sender-test-\w+@platform\.test$/), name: 'Ada' },
      reply_to: { email: 'ada@sender.test' },
    });
    sendGrid.domains.published = true;
    expect((await owner.verify(domain)).notice).toBeNull();
    expect(await sentFrom()).toMatchObject({ from: { email: 'ada@sender.test', name: 'Ada' } });
    sendGrid.domains.published = false;
    await owner.verify(domain);
    expect(await sentFrom()).toMatchObject({ from: { email: expect.stringMatching(/@platform\.test$/) } });
  });

  it('is rewritten while SendGrid does not authenticate the domain, although it finds the DKIM records', async () => {
    sendGrid.domains.published = true;
    sendGrid.domains.missing = 'mail_cname';
    const domain = await owner.addOwned('half.test');
    expect(domain.notice).toMatch(/Senders on this domain are rewritten: .* Publish them/);
    expect(domain.records.map(({ purpose, found }) => [purpose, found])).toEqual(
      expect.arrayContaining([
        ['return-path', false],
        ['dkim', true],
      ]),
    );
    expect(await sentFrom('half.test')).toMatchObject({ from: { email: expect.stringMatching(/@platform\.test$/) } });
    sendGrid.domains.missing = undefined;
    expect((await owner.verify(domain)).notice).toBeNull();
    expect(await sentFrom('half.test')).toMatchObject({ from: { email: 'ada@half.test' } });
  });

  it('that SendGrid refuses fails its email, and the domain has a notice of that until its organization verifies it again', async () => {
    sendGrid.domains.published = true;
    const domain = await owner.addOwned('refused.test');
    const words = 'The from address does not match a verified Sender Identity';
    sendGrid.scripts.add('reader@refused.example', sendGridError(403, words, 'from'));
    const email = { from: 'a@refused.test', to: 'reader@refused.example', subject: 'S', htmlContent: '<p>x</p>' };
    expect((await client.post('/api/send', email)).status).toBe(500);
    const read = async () => (await client.get<DomainView>(`/api/domains/${domain.id}`)).body;
    const refused = /refused an email because of its sender: SendGrid responded with 403: .*Sender Identity/;
    const noted = await read();
    expect(noted.notice).toMatch(refused);
    await service.database.query('update sending_domains set recheck_at = now() where id = $1', [domain.id]);
    await tidyUp();
    await eventually(async () => (await read()).checkedAt !== noted.checkedAt);
    expect((await read()).notice).toMatch(refused);
    expect((await owner.verify(domain)).notice).toBeNull();
  });
});
