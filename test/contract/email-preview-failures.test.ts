import { BroadcastClient } from '../support/broadcast-client.js';
import { TestService, type TestClient } from '../support/service.js';

let service: TestService;
let client: TestClient;

beforeAll(async () => {
  service = await TestService.start();
  client = await service.organization();
});
afterAll(async () => service?.stop());

it('is 400 with the reason for a copy of a broadcast whose template fails with its variables', async () => {
  const broadcasts = new BroadcastClient(client);
  const htmlContent = '<p>{% for n in (1..count) %}{{ n }}{% endfor %}</p>{{ unsubscribe_url }}';
  const id = await broadcasts.create({ htmlContent });
  await broadcasts.add(id, [{ to: 'ada@example.com', variables: { count: 1e9 } }]);
  await broadcasts.move(id, 'send');
  await broadcasts.settled(id, 'sent');
  const { body } = await client.get<{ emails: { id: string; status: string }[] }>('/api/emails');
  const [copy] = body.emails;
  expect(copy).toMatchObject({ status: 'failed' });
  for (const route of ['preview', 'preview?part=text', 'click-map']) {
    const response = await client.get(`/api/emails/${copy!.id}/${route}`);
    expect({ route, ...response }).toMatchObject({
      status: 400,
      body: { error: expect.stringMatching(/^htmlContent /) },
    });
  }
});
