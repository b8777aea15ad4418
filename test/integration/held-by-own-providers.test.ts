import { setTimeout as sleep } from 'node:timers/promises';
import { AbandonedEmails } from '../../src/emails/delivery/abandoned-emails.js';
import type { SendResponse } from '../../src/emails/accept/send-response.js';
import type { EmailDetail } from '../../src/emails/read/email-detail.js';
import type { SendingStateView } from '../../src/emails/sending-state/sending-state.js';
import { BroadcastClient, people } from '../support/broadcast-client.js';
import { eventually } from '../support/eventually.js';
import { TestService, type TestClient } from '../support/service.js';
import { SmtpStub } from '../support/smtp-stub.js';
import { addOwnProvider, changeOwnProvider, verifyWithoutDns } from '../support/stored-provider.js';

let own: SmtpStub;
let service: TestService;
let client: TestClient;

beforeEach(async () => {
  own = await SmtpStub.listen();
  service = await TestService.start({
    environment: {
      ...{ WEBHOOK_ALLOW_PRIVATE_ADDRESSES: 'true', SEND_RESPONSE_TIMEOUT_MS: '500' },
      DISPATCH_WINDOW: '10',
    },
  });
  client = await service.organization();
  await verifyWithoutDns(service, client.organizationId, 'acme.example');
});
afterEach(async () => {
  await service?.stop();
  await own?.close();
});

const send = async (): Promise<string> => {
  const email = { from: 'a@acme.example', to: 'reader@example.com', subject: 'S', htmlContent: '<p>x</p>' };
  const { body } = await client.post<SendResponse>('/api/send', email, { prefer: 'respond-async' });
  return body.emailTrackingId;
};
const detailOf = async (id: string) => (await client.get<EmailDetail>(`/api/emails/${id}`)).body;

/** Sends emails whose provider refuses its credentials, until each of them waits for it. @returns the provider's ID */
async function holdEmails(emails: number): Promise<string> {
  own.credentials = { user: 'ada', pass: 'right' };
  const wrong = { url: own.url.replace('right', 'wrong') };
  const id = await addOwnProvider(service, client.organizationId, { credentials: wrong });
  await send();
  await eventually(async () => {
    const { body } = await client.get<SendingStateView>('/api/sending');
    return body.provider.state === 'credential-refused';
  });
  // The pause has begun with the first email.
  for (let email = 1; email < emails; email++) await send();
  await eventually(async () => {
    const [row] = await service.database.query<{ waiting: number }>(
      'select count(*)::integer as waiting from pending_emails where dispatched_at is null and due_at > now()',
    );
    return row!.waiting === emails;
  });
  return id;
}

it('emails that wait for credentials have no jobs, and go on within seconds once these are changed', async () => {
  const provider = await holdEmails(12);
  // Recovery would create a job for each email that it finds, again and again.
  expect(await new AbandonedEmails(service.database).overdue(0, 100)).toEqual([]);
  expect(own.messages).toEqual([]);
  await changeOwnProvider(service, provider, { url: own.url });
  // Less than the pause of a minute, whose end the first one would otherwise wait for.
  await eventually(() => own.messages.length === 12, 40_000);
  expect(service.mailServer.messages).toEqual([]);
});

it('emails that wait for credentials go through the service once the provider is deleted', async () => {
  await holdEmails(3);
  await service.database.query('delete from organization_providers');
  await eventually(() => service.mailServer.messages.length >= 2);
});

it('an email that waits for credentials shows no time of a next attempt, and can be canceled', async () => {
  await holdEmails(2);
  const id = await send();
  await eventually(async () => (await detailOf(id)).nextAttemptAt === null);
  expect(await detailOf(id)).toMatchObject({ status: 'queued', attempts: 0 });
  expect((await client.post(`/api/emails/${id}/cancel`)).body).toMatchObject({ status: 'canceled' });
});

it('a broadcast leaves a slow provider soon after it is deleted', async () => {
  await addOwnProvider(service, client.organizationId, { credentials: { url: own.url } });
  let reply = (): void => undefined;
  own.scripts.add('*', { phase: 'dot', after: new Promise<void>((resolve) => (reply = resolve)) });
  const broadcasts = new BroadcastClient(client);
  const id = await broadcasts.create();
  await broadcasts.add(id, people(12));
  await broadcasts.move(id, 'send');
  await eventually(() => own.received.length > 0);
  await service.database.query('delete from organization_providers');
  // Longer than a job begins further emails, however long the steps before took.
  await sleep(6_000);
  reply();
  await broadcasts.settled(id, 'sent');
  expect(own.messages.length).toBeLessThanOrEqual(4);
  expect(own.messages.length + service.mailServer.messages.length).toBe(12);
});

it('a broadcast that waits for its provider stops no broadcast of others', async () => {
  own.credentials = { user: 'ada', pass: 'right' };
  await addOwnProvider(service, client.organizationId, { credentials: { url: own.url.replace('right', 'wrong') } });
  const [held, free] = [client, await service.organization()].map((one) => new BroadcastClient(one));
  const id = await held!.create();
  await held!.add(id, people(60));
  await held!.move(id, 'send');
  await eventually(async () => {
    const [row] = await service.database.query<{ waiting: number }>(
      `select count(*)::integer as waiting from pending_emails where due_at > now() + interval '1 year'`,
    );
    return row!.waiting >= 10;
  });
  const other = await free!.create();
  await free!.add(other, people(30));
  await free!.move(other, 'send');
  await free!.settled(other, 'sent');
  expect(service.mailServer.messages).toHaveLength(30);
  expect((await held!.read(id)).progress.queued).toBe(60);
});
