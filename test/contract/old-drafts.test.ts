import type { BroadcastView } from '../../src/broadcasts/broadcast-view.js';
import { BroadcastClient, people } from '../support/broadcast-client.js';
import { TestService, type TestClient } from '../support/service.js';

let service: TestService;
let client: TestClient;
let broadcasts: BroadcastClient;

beforeAll(async () => {
  service = await TestService.start({ environment: { ROLES: 'api' } });
  client = await service.organization();
  broadcasts = new BroadcastClient(client);
});
afterAll(() => service?.stop());

/** As an earlier build stored it. */
async function oldDraft(subject: string): Promise<string> {
  const id = await broadcasts.create();
  await broadcasts.add(id, people(1));
  await service.database.query(
    'update messages set subject = $2 where id = (select message_id from broadcasts where id = $1)',
    [id, subject],
  );
  return id;
}

it('a draft from before the rule about subjects is not sent with the address of the unsubscribe page in its subject', async () => {
  const id = await oldDraft('Stop: {{ unsubscribe_url }}');
  const refused = await client.post(`/api/broadcasts/${id}/send`);
  expect(refused).toMatchObject({ status: 400, body: { details: [{ field: 'subject' }] } });
  expect(await broadcasts.read(id)).toMatchObject({ status: 'draft' });
  expect((await client.get<{ campaigns: unknown[] }>('/api/campaigns')).body.campaigns).toEqual([]);
  const literal = await oldDraft('How {% raw %}{{ unsubscribe_url }}{% endraw %} works');
  expect(await client.post<BroadcastView>(`/api/broadcasts/${literal}/send`)).toMatchObject({ status: 200 });
});
