import type { BroadcastMessageView } from '../../src/broadcasts/broadcast-content.js';
import type { BroadcastView } from '../../src/broadcasts/broadcast-view.js';
import { BroadcastClient, draft, people } from '../support/broadcast-client.js';
import { lockedOut, whileLocked } from '../support/held-lock.js';
import { changeDraft, DRAFT_CHANGED, versionAfter } from '../support/changed-drafts.js';
import { TestService, type ApiResponse, type TestClient } from '../support/service.js';

type Changed = ApiResponse<BroadcastView & { error?: string }>;

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

const change = (id: string, fields: object): Promise<Changed> => changeDraft(client, id, fields);
const changed = (id: string, fields: object): Promise<string> => versionAfter(client, id, fields);
const refused = DRAFT_CHANGED;
const attachment = (content: string) => ({ filename: 'a.txt', content: Buffer.from(content).toString('base64') });

/** Every field that a draft can have, apart from a template. */
const everyField = {
  ...{ name: 'Autumn', from: 'Ada <ada@acme.example>', replyTo: 'help@acme.example', subject: 'Autumn' },
  ...{ htmlContent: '<p>Autumn</p>', textContent: 'Autumn', headers: { 'X-Season': 'autumn' } },
  ...{ attachments: [attachment('one')], tags: ['autumn'], campaignId: 'Autumn', pace: 60 },
  sendAt: new Date(Date.now() + 3_600_000).toISOString(),
};

describe('the version of a draft', () => {
  it('is the same in every response, and changes with every change of the draft alone', async () => {
    const { body: created } = await client.post<BroadcastView>('/api/broadcasts', draft);
    const { id, version } = created;
    expect(version).toEqual(expect.any(String));
    await broadcasts.add(id, people(1));
    expect((await broadcasts.read(id)).version).toBe(version);
    const second = await changed(id, { subject: 'Second' });
    const third = await changed(id, { subject: 'Third', version: second });
    expect(new Set([version, second, third]).size).toBe(3);
    const { body: list } = await client.get<{ broadcasts: BroadcastView[] }>('/api/broadcasts');
    expect(list.broadcasts.map((one) => one.version)).toEqual([third]);
    const { body: sent } = await client.post<BroadcastView>(`/api/broadcasts/${id}/send`);
    expect(sent.version).toBe(third);
  });

  it('lets one of two changes of the same version through', async () => {
    const id = await broadcasts.create();
    const { version } = await broadcasts.read(id);
    let both: Promise<Changed[]> | undefined;
    await whileLocked(
      service.database,
      (sql) => sql.query('select from broadcasts where id = $1 for update', [id]),
      async () => {
        both = Promise.all(['One', 'Other'].map((subject) => change(id, { subject, version })));
        await lockedOut(service.database, 2);
      },
    );
    const [won, lost] = (await both!).sort((one, other) => one.status - other.status);
    expect(won!.status).toBe(200);
    expect(lost).toMatchObject(refused);
    expect(await broadcasts.read(id)).toMatchObject({ subject: won!.body.subject, version: won!.body.version });
  });

  it('is compared when the change is stored, not when its request arrives', async () => {
    const id = await broadcasts.create();
    const { version } = await broadcasts.read(id);
    let late: Promise<Changed> | undefined;
    await whileLocked(
      service.database,
      // The change creates a campaign, which waits for this lock after the draft was read.
      (sql) => sql.query('select from organizations where id = $1 for no key update', [client.organizationId]),
      async () => {
        late = change(id, { subject: 'Late', campaignId: 'New', version });
        await lockedOut(service.database, 1);
        await changed(id, { subject: 'Early', version });
      },
    );
    expect(await late!).toMatchObject(refused);
    expect(await broadcasts.read(id)).toMatchObject({ subject: 'Early', campaignId: null });
  });

  it('is that of the change itself in its response, although others follow at once', async () => {
    const id = await broadcasts.create();
    const subjects = Array.from({ length: 12 }, (_, number) => `Subject ${number}`);
    const responses = await Promise.all(subjects.map((subject) => change(id, { subject })));
    expect(responses.map(({ body }) => body.subject)).toEqual(subjects);
    expect(new Set(responses.map(({ body }) => body.version)).size).toBe(subjects.length);
  });

  it.each([['unknown'], [''], ['00000000-0000-4000-8000-000000000000'], ['\ud83d\u0000']])(
    'refuses a change of the version %j',
    async (version) => {
      const id = await broadcasts.create();
      const before = await broadcasts.read(id);
      expect(await change(id, { subject: 'Changed', version })).toMatchObject(refused);
      expect(await broadcasts.read(id)).toEqual(before);
    },
  );

  it.each([[null], [undefined]])('may be missing from a change: %j', async (version) => {
    const id = await broadcasts.create();
    await changed(id, { subject: 'Second' });
    expect((await change(id, { subject: 'Third', version })).body).toMatchObject({ subject: 'Third' });
  });

  it.each([[1], [true], [{}], [['a']]])('must be a string, not %j', async (version) => {
    const id = await broadcasts.create();
    const problem = { field: 'version', message: 'version must be a string' };
    expect(await change(id, { version })).toMatchObject({ status: 400, body: { details: [problem] } });
  });
});

describe('a change that is repeated after its response was lost', () => {
  const audited = async () => (await client.get<{ entries: unknown[] }>('/api/audit')).body.entries.length;

  it('is done once', async () => {
    for (const fields of [{}, everyField, { ...everyField, attachments: [] }]) {
      const id = await broadcasts.create({ attachments: [attachment('kept')] });
      const { version } = await broadcasts.read(id);
      const second = await changed(id, { ...fields, version });
      const entries = await audited();
      expect(await changed(id, { ...fields, version })).toBe(second);
      expect((await broadcasts.read(id)).version).toBe(second);
      expect(await audited()).toBe(entries);
    }
  });

  it('is done although the time at which it should begin has passed meanwhile', async () => {
    const id = await broadcasts.create();
    const { version } = await broadcasts.read(id);
    const sendAt = new Date(Date.now() + 3_600_000).toISOString();
    const second = await changed(id, { sendAt, version });
    await service.database.query(`update broadcasts set send_at = now() - interval '1 s' where id = $1`, [id]);
    const passed = new Date(Date.now() - 1_000).toISOString();
    expect(await changed(id, { sendAt: passed, version })).toBe(second);
  });

  it('differs in no field from what is stored', async () => {
    const id = await broadcasts.create();
    const { version } = await broadcasts.read(id);
    const second = await changed(id, { ...everyField, version });
    const others = [
      ...[{ name: 'N' }, { from: 'Ada <eve@acme.example>' }, { replyTo: null }, { subject: 'S' }, { pace: 61 }],
      ...[{ htmlContent: '<p>H</p>' }, { textContent: null }, { headers: { 'X-Season': 'winter' } }, { tags: null }],
      ...[{ attachments: [attachment('two')] }, { attachments: [] }, { campaignId: 'C' }, { sendAt: null }],
      { sendAt: new Date(Date.now() + 7_200_000).toISOString() },
    ];
    for (const other of others) {
      const { status, body } = await change(id, { ...everyField, ...other, version });
      expect({ other, status, body }).toMatchObject({ other, ...refused });
    }
    expect((await broadcasts.read(id)).version).toBe(second);
    const { body: message } = await client.get<BroadcastMessageView>(`/api/broadcasts/${id}/message`);
    expect(message).toMatchObject({ htmlContent: '<p>Autumn</p>', textContent: 'Autumn' });
  });
});
