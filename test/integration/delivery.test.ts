import type { EmailDetail } from '../../src/emails/read/email-detail.js';
import type { SendResponse } from '../../src/emails/accept/send-response.js';
import { eventually } from '../support/eventually.js';
import { AWAIT_RESULT, TestService, type TestClient } from '../support/service.js';

const environment = { AMBIGUOUS_RESEND_AFTER_MS: '100', ...AWAIT_RESULT };

let service: TestService;
let client: TestClient;

beforeAll(async () => {
  service = await TestService.start({ environment });
  client = await service.organization();
});
afterAll(() => service?.stop());

function send(to: string | string[], headers: Record<string, string> = {}) {
  const email = {
    from: 'ada@acme.example',
    to,
    subject: 'S',
    htmlContent: '<p>x <a href="https://example.com">y</a></p>',
  };
  return client.post<SendResponse>('/api/send', email, headers);
}

async function detail(trackingId: string): Promise<EmailDetail> {
  return (await client.get<EmailDetail>(`/api/emails/${trackingId}`)).body;
}

function messagesTo(address: string) {
  return service.mailServer.messages.filter((message) => message.recipients.includes(address));
}

describe('delivery', () => {
  it('retries what the provider deferred, and responds with the final result', async () => {
    service.mailServer.scripts.add('again@example.com', { phase: 'rcpt', reply: '451 4.7.1 Try later' }, 1);
    const { status, body } = await send('again@example.com');
    expect(status).toBe(200);
    expect(await detail(body.emailTrackingId)).toMatchObject({ status: 'sent', attempts: 2, possibleDuplicate: false });
    expect(messagesTo('again@example.com')).toHaveLength(1);
  });

  it('sends once more, under the same Message-ID and flagged, when it is unknown whether the provider accepted', async () => {
    service.mailServer.scripts.add('doubt@example.com', { phase: 'dot', fault: 'drop', accepts: true }, 1);
    const { status, body } = await send('doubt@example.com');
    expect(status).toBe(200);
    expect(await detail(body.emailTrackingId)).toMatchObject({ status: 'sent', possibleDuplicate: true });
    const ids = messagesTo('doubt@example.com').map(({ messageId }) => messageId);
    expect(ids).toHaveLength(2);
    expect(new Set(ids).size).toBe(1);
  });

  it('gives up after the second ambiguous outcome', async () => {
    service.mailServer.scripts.add('doubts@example.com', { phase: 'dot', fault: 'drop' });
    const { status, body } = await client.post('/api/send', {
      from: 'ada@acme.example',
      to: 'doubts@example.com',
      subject: 'S',
      htmlContent: '<p>x</p>',
    });
    expect(status).toBe(500);
    expect(body.error).toMatch(/^Email delivery failed: Delivery outcome unknown/);
  });

  it.each(['530 5.7.1 <jane@corp.example>: authentication required to relay', '535 5.7.8 Log in again'])(
    'fails an email if the response for its recipient is %s, and holds no other email',
    async (reply) => {
      service.mailServer.scripts.add('jane@corp.example', { phase: 'rcpt', reply }, 1);
      const { status, body } = await send('jane@corp.example');
      expect(status).toBe(500);
      expect(body).toMatchObject({ error: `Email delivery failed: The SMTP server responded: ${reply}` });
      const other = await service.organization();
      const email = { from: 'bob@other.example', to: 'reader@example.com', subject: 'S', htmlContent: '<p>x</p>' };
      expect((await other.post('/api/send', email)).status).toBe(200);
    },
  );

  it('retries a deferred recipient without sending to the others again', async () => {
    service.mailServer.scripts.add('slow@example.com', { phase: 'rcpt', reply: '450 4.2.1 Greylisted' }, 1);
    const { status, body } = await send(['quick@example.com', 'slow@example.com']);
    expect(status).toBe(200);
    expect(messagesTo('quick@example.com')).toHaveLength(1);
    expect(messagesTo('slow@example.com')).toHaveLength(1);
    expect(await detail(body.emailTrackingId)).toMatchObject({ status: 'sent', attempts: 2 });
  });

  it('counts an email as sent when one recipient has it, regardless of the others', async () => {
    service.mailServer.scripts.add('gone@example.com', { phase: 'rcpt', reply: '450 4.2.1 Greylisted' }, 1);
    service.mailServer.scripts.add('gone@example.com', { phase: 'rcpt', reply: '550 5.1.1 No such user' });
    const { status, body } = await send(['there@example.com', 'gone@example.com']);
    expect(status).toBe(200);
    expect(body.id).toEqual(expect.any(String));
    expect(body.links).toHaveLength(1);
    expect(messagesTo('there@example.com')).toHaveLength(1);
    const { body: contact } = await client.get('/api/contacts/there%40example.com');
    expect(contact).toMatchObject({ totalEmails: 1 });
  });

  it('sends a long display name that becomes longer when encoded', async () => {
    const name = 'N'.repeat(320);
    const { status } = await client.post('/api/send', {
      from: `"${name}" <ada@acme.example>`,
      to: `"${','.repeat(320)}" <reader@bücher.example>`,
      subject: 'S',
      htmlContent: '<p>x</p>',
    });
    expect(status).toBe(200);
    const { body: contact } = await client.get(`/api/contacts/${encodeURIComponent('reader@bücher.example')}`);
    expect(contact).toMatchObject({ email: 'reader@xn--bcher-kva.example', totalEmails: 1 });
  });

  it('delivers the email of a worker that died during delivery, and flags it as a possible duplicate', async () => {
    const { body } = await send('orphan@example.com');
    const { id } = await detail(body.emailTrackingId);
    // The state that a worker leaves when it is killed while it reads the provider's response.
    await service.database.query(
      `with email as (update emails set status = 'queued', sent_at = null where id = $1 returning id, organization_id)
       insert into pending_emails (email_id, organization_id, dispatched_at, attempts, lease_token, lease_until)
       select id, organization_id, now(), 1, gen_random_uuid(), now() - interval '1 s' from email`,
      [id],
    );
    expect(await detail(body.emailTrackingId)).toMatchObject({ status: 'sending', attempts: 1 });
    const recovered = await eventually(async () => {
      const seen = await detail(body.emailTrackingId);
      return seen.status === 'sent' && seen;
    }, 35_000);
    expect(recovered).toMatchObject({ possibleDuplicate: true, attempts: 2 });
    expect(messagesTo('orphan@example.com')).toHaveLength(2);
  });
});

describe('delivery after Redis lost the job', () => {
  it('queues the email again once a worker runs', async () => {
    const alone = await TestService.start({ environment: { ROLES: 'api' } });
    try {
      const other = await alone.organization();
      const { body, headers } = await other.post<SendResponse>(
        '/api/send',
        { from: 'ada@acme.example', to: 'lost@example.com', subject: 'S', htmlContent: '<p>x</p>' },
        { prefer: 'respond-async' },
      );
      expect(body.status).toBe('queued');
      await alone.forgetRedis();
      const worker = await TestService.start({ environment: { ROLES: 'worker' }, beside: alone });
      try {
        await eventually(async () => {
          const { body: seen } = await other.get<EmailDetail>(headers.get('location')!);
          return seen.status === 'sent';
        }, 25_000);
        expect(alone.mailServer.messages).toHaveLength(1);
      } finally {
        await worker.stop();
      }
    } finally {
      await alone.stop();
    }
  });
});
