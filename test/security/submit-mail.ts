import type { TestClient, TestService } from '../support/service.js';
import { SubmissionClient } from '../support/submission-client.js';

const message = {
  from: 'ada@acme.example',
  subject: 'The engine',
  html: '<a href="https://e.co/">x</a>',
  text: 'x',
  attachments: [{ filename: 'a.txt', content: 'x' }],
  headers: { 'X-Mailbeacon-Campaign': 'By SMTP', 'X-Mailbeacon-Tags': 'a, b', 'X-Mailbeacon-Unsubscribe': 'true' },
};

/**
 * Uses all that the role smtp does with Postgres and Redis.
 * @param small may send ten emails a day
 */
export async function submitMail(smtp: TestService, client: TestClient, small: TestClient): Promise<void> {
  const mailer = new SubmissionClient(smtp, client);
  const to = ['first@example.com', 'second@example.com'];
  expect(await mailer.send({ ...message, to })).toMatchObject({ code: 250 });
  const repeated = { ...message, to, messageId: '<once@acme.example>', date: new Date(0) };
  expect(await mailer.send(repeated)).toMatchObject({ code: 250 });
  const nine = Array.from({ length: 9 }, (_, at) => `reader-${at}@example.com`);
  const other = new SubmissionClient(smtp, small);
  expect(await other.send({ ...message, to: nine })).toMatchObject({ code: 250 });
  expect(await other.send({ ...message, to: nine })).toMatchObject({ code: 450 });
  expect(await new SubmissionClient(smtp, { apiKey: 'mb_wrong' }).send({ ...message, to })).toMatchObject({
    code: 535,
  });
}
