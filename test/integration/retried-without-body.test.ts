import { ContentRetention } from '../../src/emails/content-retention.js';
import type { EmailSummary } from '../../src/emails/read/email-list.js';
import type { EmailDetail } from '../../src/emails/read/email-detail.js';
import { eventually } from '../support/eventually.js';
import { lockedOut, whileLocked } from '../support/held-lock.js';
import { AWAIT_RESULT, TestService, type TestClient } from '../support/service.js';
import { silentPace } from '../support/silent-pace.js';

const to = 'reader@example.com';
const email = {
  ...{ from: 'ada@acme.example', to, subject: 'S', htmlContent: '<p>x</p>' },
  attachments: [{ filename: 'a.txt', content: Buffer.from('attached').toString('base64') }],
};

let service: TestService;
let client: TestClient;
beforeAll(async () => {
  service = await TestService.start({ environment: AWAIT_RESULT });
  client = await service.organization();
});
afterAll(() => service?.stop());

it('an email whose body is deleted while it is queued again fails, instead of being sent without it', async () => {
  service.mailServer.scripts.add(to, { phase: 'rcpt', reply: '550 5.7.1 Not today' }, 1);
  expect((await client.post('/api/send', email)).status).toBe(500);
  const { body } = await client.get<{ emails: EmailSummary[] }>('/api/emails');
  const path = `/api/emails/${body.emails[0]!.id}`;

  // Tomorrow, the body of each email of today is too old.
  const retention = new ContentRetention(service.database, { EMAIL_CONTENT_RETENTION_DAYS: -1 }, silentPace());
  let deletion: Promise<void> | undefined;
  let retry: ReturnType<TestClient['post']> | undefined;
  const holdDeletion = whileLocked(
    service.database,
    (sql) => sql.query('select from email_attachments for update'),
    async () => {
      deletion = retention.dropOldBodies(new AbortController().signal);
      await lockedOut(service.database, 1);
      retry = client.post(`${path}/retry`);
      await lockedOut(service.database, 2);
    },
  );
  await holdDeletion;
  await Promise.all([deletion, retry]);

  const ended = await eventually(async () => {
    const { body: found } = await client.get<EmailDetail>(path);
    return ['failed', 'sent'].includes(found.status) && found;
  });
  expect([ended.status, ended.lastError]).toEqual(['failed', 'The body of this email was deleted']);
  expect(service.mailServer.messages).toHaveLength(0);
});
