import { DnsServer } from '../support/dns-server.js';
import { DomainOwner } from '../support/domain-owner.js';
import { eventually } from '../support/eventually.js';
import { AWAIT_RESULT, TestService } from '../support/service.js';
import type { SmtpMessage } from '../support/smtp-stub.js';

let dns: DnsServer;
let service: TestService;
let owner: DomainOwner;
let other: DomainOwner;
let passedMs = 0;

beforeAll(async () => {
  dns = await DnsServer.listen();
  const clock = { now: () => Date.now() + passedMs };
  service = await TestService.start({ environment: { DNS_SERVERS: dns.address, ...AWAIT_RESULT }, clock });
  owner = new DomainOwner(await service.organization(), dns);
  other = new DomainOwner(await service.organization(), dns);
});
afterAll(async () => {
  await service?.stop();
  await dns?.close();
});

/** Verifies the domain here, then deletes it and verifies it in the other organization while an email waits. */
async function handOver(name: string, meanwhile: () => Promise<unknown>): Promise<void> {
  const ours = await owner.addOwned(name);
  await meanwhile();
  await owner.remove(ours);
  expect((await other.addOwned(name)).status).toBe('verified');
  // Workers cache what they have read about a domain for at most two seconds.
  passedMs += 2_001;
}

function send(from: string, more = {}, { client } = owner) {
  const email = { from, to: 'late@example.com', subject: 'S', htmlContent: '<p>x</p>', ...more };
  return client.post('/api/send', email);
}

function headersOf(message: SmtpMessage) {
  const [header] = message.content.toString().split('\r\n\r\n');
  const field = (name: string) => new RegExp(`^${name}: (.*)$`, 'im').exec(header!)?.[1];
  return { from: field('From'), replyTo: field('Reply-To'), sender: message.sender };
}

const moved = expect.stringMatching(/^ceo <ceo-\w+-test-\w+@platform\.test>$/);

describe('the sender is chosen again at delivery, so that no email is sent from a domain of another organization', () => {
  it('for an email that failed and is retried', async () => {
    let id = '';
    await handOver('corp.test', async () => {
      service.mailServer.scripts.add('late@example.com', { phase: 'rcpt', reply: '550 5.7.1 No such user' }, 1);
      expect((await send('ceo <ceo@corp.test>')).status).toBe(500);
      const { body } = await owner.client.get<{ emails: { id: string }[] }>('/api/emails?status=failed');
      id = body.emails[0]!.id;
    });
    // Workers have just cached the new owner of the domain: that must give no right to another organization.
    expect((await send('ceo@corp.test', {}, other)).status).toBe(200);
    expect(headersOf(service.mailServer.messages.at(-1)!).from).toBe('ceo@corp.test');
    expect((await owner.client.post(`/api/emails/${id}/retry`)).status).toBe(200);
    const detail = await eventually(async () => {
      const { body } = await owner.client.get<{ status: string; from: string }>(`/api/emails/${id}`);
      return body.status === 'sent' && body;
    });
    const headers = headersOf(service.mailServer.messages.at(-1)!);
    const sender = expect.stringMatching(/@platform\.test$/);
    expect(headers).toEqual({ from: moved, replyTo: 'ceo <ceo@corp.test>', sender });
    expect(detail.from).toBe(headers.from);
  });

  // The domain only ends like platform.test, whose senders need no check.
  it('for an email that waits, whose replies go to the original address', async () => {
    let response: Promise<{ status: number }> | undefined;
    await handOver('notplatform.test', async () => {
      const { scripts } = service.mailServer;
      scripts.add('late@example.com', { phase: 'rcpt', reply: '451 4.7.1 Later' });
      const before = scripts.played;
      response = send('ceo <ceo@notplatform.test>', { replyTo: 'desk@notplatform.test' });
      await eventually(() => scripts.played > before);
    });
    const { scripts } = service.mailServer;
    // An attempt in progress may have chosen its sender before the domain changed owners.
    const played = scripts.played;
    await eventually(() => scripts.played > played);
    const { length } = service.mailServer.messages;
    scripts.clear('late@example.com');
    // The response may be a 202: the request waits for fifteen seconds, and the attempts back off.
    expect([200, 202]).toContain((await response!).status);
    const headers = headersOf(await eventually(() => service.mailServer.messages[length]));
    expect(headers).toMatchObject({ from: moved, replyTo: 'desk@notplatform.test' });
  });
});
