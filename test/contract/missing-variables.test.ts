import type { MissingVariablesView } from '../../src/broadcasts/missing-variables.js';
import { BroadcastClient } from '../support/broadcast-client.js';
import { TestService, type TestClient } from '../support/service.js';

let service: TestService;
let client: TestClient;
let broadcasts: BroadcastClient;

beforeAll(async () => {
  service = await TestService.start({ environment: { RATE_LIMIT_PER_MINUTE: '0' } });
});
beforeEach(async () => {
  client = await service.organization();
  broadcasts = new BroadcastClient(client);
});
afterAll(() => service?.stop());

const MESSAGE = {
  subject: 'Hello {{ name }}',
  htmlContent:
    '<p>{{ city }}, {{ plan | default: "free" }}{% if seat %}, seat {{ seat }}{% endif %}</p><a href="{{ unsubscribe_url }}">Unsubscribe</a>',
};

async function missing(id: string): Promise<MissingVariablesView> {
  const { status, body } = await client.get<MissingVariablesView>(`/api/broadcasts/${id}/missing-variables`);
  expect(status).toBe(200);
  return body;
}

describe('variables of a broadcast that recipients lack', () => {
  it('are counted: absent, null and empty ones, but none with a default and none that a condition tests', async () => {
    const id = await broadcasts.create(MESSAGE);
    await broadcasts.add(id, [
      { to: 'a@readers.example', variables: { name: 'Ada', city: 'Oslo' } },
      { to: 'b@readers.example', variables: { name: 'Bob', city: '' } },
      { to: 'c@readers.example', variables: { name: null } },
      { to: 'd@readers.example' },
    ]);
    expect(await missing(id)).toEqual({
      recipients: 4,
      suppressed: 0,
      variables: [
        { name: 'city', recipients: 3 },
        { name: 'name', recipients: 2 },
      ],
    });
  });

  it('are parts of their values, too', async () => {
    const parts = '<p>{{ person.name }} {{ person.home["zip code"] }} {{ tags[0] }} {{ tags.first }}</p>';
    const id = await broadcasts.create({ subject: 'Hello', htmlContent: parts });
    await broadcasts.add(id, [
      { to: 'a@readers.example', variables: { person: { name: 'Ada', home: { 'zip code': 1 } }, tags: ['x'] } },
      { to: 'b@readers.example', variables: { person: { name: '', home: 'Oslo' }, tags: [] } },
      { to: 'c@readers.example', variables: { person: 'Cid', tags: ['', 'x'] } },
      { to: 'd@readers.example', variables: { 'person.name': 'Dan' } },
    ]);
    expect(await missing(id)).toEqual({
      recipients: 4,
      suppressed: 0,
      variables: [
        { name: 'person.name', recipients: 3 },
        { name: 'person.home["zip code"]', recipients: 3 },
        { name: 'tags.0', recipients: 3 },
        { name: 'tags', recipients: 1 },
      ],
    });
  });

  it('are none when every recipient has them', async () => {
    const id = await broadcasts.create(MESSAGE);
    await broadcasts.add(id, [{ to: 'a@readers.example', variables: { name: 0, city: false } }]);
    expect(await missing(id)).toEqual({ recipients: 1, suppressed: 0, variables: [] });
  });

  it('leave out recipients that get no email', async () => {
    await client.post('/api/suppressions', { addresses: ['gone@readers.example'] });
    const id = await broadcasts.create(MESSAGE);
    await broadcasts.add(id, [{ to: 'gone@readers.example' }]);
    expect(await missing(id)).toEqual({ recipients: 0, suppressed: 0, variables: [] });
  });

  it('leave out recipients that have been suppressed since they were added, and count these', async () => {
    const id = await broadcasts.create(MESSAGE);
    const names = ['gone', 'here', 'lost', 'there'];
    await broadcasts.add(
      id,
      names.map((name) => ({ to: `${name}@readers.example`, variables: { city: 'Oslo' } })),
    );
    await client.post('/api/suppressions', { addresses: ['gone@readers.example', 'lost@readers.example'] });
    expect(await missing(id)).toEqual({
      recipients: 2,
      suppressed: 2,
      variables: [{ name: 'name', recipients: 2 }],
    });
  });

  it('belong to the organization of the broadcast', async () => {
    const id = await broadcasts.create(MESSAGE);
    const other = await service.organization();
    for (const unknown of [id, 'nonsense'])
      expect(await other.get(`/api/broadcasts/${unknown}/missing-variables`)).toMatchObject({
        status: 404,
        body: { error: 'Broadcast not found' },
      });
  });
});
