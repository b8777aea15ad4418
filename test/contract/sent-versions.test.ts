import type { BroadcastView } from '../../src/broadcasts/broadcast-view.js';
import { BroadcastClient, people } from '../support/broadcast-client.js';
import { DRAFT_CHANGED, versionAfter } from '../support/changed-drafts.js';
import { lockedOut, whileLocked } from '../support/held-lock.js';
import { TestService, type ApiResponse, type TestClient } from '../support/service.js';

type Response = ApiResponse<BroadcastView & { error?: string }>;

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

const changed = (id: string, fields: object): Promise<string> => versionAfter(client, id, fields);
const refused = DRAFT_CHANGED;

describe('a broadcast that is sent with a version', () => {
  const send = (id: string, body?: unknown): Promise<Response> =>
    client.request(`/api/broadcasts/${id}/send`, {
      method: 'POST',
      ...(body !== undefined && { headers: { 'content-type': 'application/json' }, body: JSON.stringify(body) }),
    });
  async function filled(): Promise<{ id: string; version: string }> {
    const id = await broadcasts.create();
    await broadcasts.add(id, people(1));
    return { id, version: (await broadcasts.read(id)).version };
  }
  const campaigns = async () => (await client.get<{ campaigns: unknown[] }>('/api/campaigns')).body.campaigns;

  it('is sent while its draft has this version, and the request can be repeated', async () => {
    const { id, version } = await filled();
    for (let times = 0; times < 2; times++) {
      const { status, body } = await send(id, { version });
      expect([status, body.version, ['sending', 'sent']]).toEqual([
        200,
        version,
        expect.arrayContaining([body.status]),
      ]);
    }
  });

  it('is refused once somebody else has changed the draft, and stays as it is', async () => {
    const { id, version } = await filled();
    const second = await changed(id, { subject: 'Second' });
    for (const other of [version, '', 'unknown', '\ud83d\u0000']) {
      expect(await send(id, { version: other })).toMatchObject(refused);
    }
    expect(await broadcasts.read(id)).toMatchObject({ status: 'draft', subject: 'Second' });
    expect(await campaigns()).toEqual([]);
    expect((await send(id, { version: second })).status).toBe(200);
  });

  it('is refused when somebody else has changed and sent it', async () => {
    const { id, version } = await filled();
    await changed(id, { subject: 'Second', sendAt: new Date(Date.now() + 3_600_000).toISOString() });
    expect((await send(id)).body.status).toBe('scheduled');
    expect(await send(id, { version })).toMatchObject(refused);
  });

  it('compares the version when it begins, not when its request arrives', async () => {
    const { id, version } = await filled();
    let late: Promise<Response> | undefined;
    await whileLocked(
      service.database,
      // The request creates a campaign, which waits for this lock after the draft was read.
      (sql) => sql.query('select from organizations where id = $1 for no key update', [client.organizationId]),
      async () => {
        late = send(id, { version });
        await lockedOut(service.database, 1);
        await changed(id, { subject: 'Early', version });
      },
    );
    expect(await late!).toMatchObject(refused);
    expect(await broadcasts.read(id)).toMatchObject({ status: 'draft', subject: 'Early' });
  });

  it.each([[undefined], [null], [{}], [{ version: null }]])('needs none: %j', async (body) => {
    const { id } = await filled();
    await changed(id, { subject: 'Second' });
    expect((await send(id, body)).status).toBe(200);
  });

  it.each([[1], [true], [{}], [['a']]])('needs a version that is a string, not %j', async (version) => {
    const { id } = await filled();
    const problem = { field: 'version', message: 'version must be a string' };
    expect(await send(id, { version })).toMatchObject({ status: 400, body: { details: [problem] } });
  });

  it.each([[[]], ['a'], [1]])('needs an object if it has a body, not %j', async (body) => {
    const { id } = await filled();
    expect(await send(id, body)).toMatchObject({ status: 400, body: { error: 'The body must be a JSON object' } });
  });
});
