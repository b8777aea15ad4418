import type { EmailSummary } from '../../src/emails/read/email-list.js';
import { BroadcastClient, people } from '../support/broadcast-client.js';
import { eventually } from '../support/eventually.js';
import { TestService, type TestClient } from '../support/service.js';

let service: TestService;
let client: TestClient;

beforeAll(async () => {
  service = await TestService.start();
  client = await service.organization();
});
afterAll(() => service?.stop());

it('a canceled email of a broadcast counts as canceled in its progress', async () => {
  const broadcasts = new BroadcastClient(client);
  const id = await broadcasts.create();
  await broadcasts.add(id, people(3));
  const [{ to }] = people(1) as [{ to: string }];
  service.mailServer.scripts.add(to, { phase: 'rcpt', reply: '451 4.7.1 Try again later' });
  await broadcasts.move(id, 'send');
  const waiting = await eventually(async () => {
    const { body } = await client.get<{ emails: EmailSummary[] }>('/api/emails?status=queued');
    return body.emails.find(({ lastError }) => lastError !== null);
  });
  // Its retry may be under way.
  await eventually(async () => (await client.post(`/api/emails/${waiting.id}/cancel`, {})).status === 200);
  expect((await broadcasts.settled(id, 'sent')).progress).toMatchObject({ total: 3, sent: 2, canceled: 1, queued: 0 });
});
