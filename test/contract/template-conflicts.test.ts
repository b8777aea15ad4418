import type { TemplateDetail } from '../../src/templates/template-view.js';
import { lockedOut, whileLocked } from '../support/held-lock.js';
import { TestService, type TestClient } from '../support/service.js';

const TEMPLATE = { name: 'Welcome', subject: 'Hello', htmlContent: '<p>Hello</p>' };
const ADAS = { ...TEMPLATE, subject: 'Good day', textContent: 'Good day' };
const GRACES = { ...TEMPLATE, subject: 'Good evening' };

let service: TestService;
let client: TestClient;
let path: string;

beforeAll(async () => {
  service = await TestService.start({ environment: { ROLES: 'api', RATE_LIMIT_PER_MINUTE: '0' } });
});
beforeEach(async () => {
  client = await service.organization();
  path = `/api/templates/${(await client.post<TemplateDetail>('/api/templates', TEMPLATE)).body.id}`;
});
afterAll(() => service?.stop());

const change = (fields: object) => client.put<TemplateDetail>(path, fields);
const read = async () => (await client.get<TemplateDetail>(path)).body;

describe('a change of a template with the version that was read', () => {
  it('is refused if another change came first, and stores nothing', async () => {
    expect(await change({ ...ADAS, version: 1 })).toMatchObject({ status: 200, body: { version: 2 } });
    const refused = await change({ ...GRACES, version: 1 });
    const error = 'The template has changed meanwhile: read it again before you change it';
    expect([refused.status, refused.body]).toMatchObject([409, { error }]);
    expect(await read()).toMatchObject({ ...ADAS, version: 2 });
    expect(await change({ ...GRACES, version: 2 })).toMatchObject({ status: 200, body: { version: 3 } });
    expect(await read()).toMatchObject({ ...GRACES, textContent: null, version: 3 });
  });

  it.each([
    ['its name', { name: 'Farewell' }],
    ['its text', { textContent: 'Hello' }],
    ['its HTML', { htmlContent: '<p>Bye</p>' }],
  ])('is refused if the other differs only in %s', async (_, fields) => {
    await change({ ...TEMPLATE, version: 1 });
    expect((await change({ ...TEMPLATE, ...fields, version: 1 })).status).toBe(409);
    expect((await read()).version).toBe(2);
  });

  it('creates no second version when it is repeated because its response was lost', async () => {
    const first = await change({ ...ADAS, version: 1 });
    const repeated = await change({ ...ADAS, version: 1 });
    expect([repeated.status, repeated.body]).toEqual([200, first.body]);
    expect(await read()).toMatchObject({ version: 2 });
  });

  /** The statuses of two changes, sorted, that are requested before either is stored. */
  async function changeAtOnce(one: object, other: object): Promise<number[]> {
    let responses: Promise<Awaited<ReturnType<typeof change>>[]> | undefined;
    await whileLocked(
      service.database,
      (sql) => sql.query('select from templates for update'),
      async () => {
        responses = Promise.all([one, other].map((fields) => change({ ...fields, version: 1 })));
        await lockedOut(service.database, 2);
      },
    );
    return (await responses!).map(({ status }) => status).sort();
  }

  it('is refused if another one at the same moment comes first', async () => {
    expect(await changeAtOnce(ADAS, GRACES)).toEqual([200, 409]);
    expect((await read()).version).toBe(2);
  });

  it('creates one version when it is repeated while the first attempt still runs', async () => {
    expect(await changeAtOnce(ADAS, ADAS)).toEqual([200, 200]);
    expect(await read()).toMatchObject({ ...ADAS, version: 2 });
  });

  it.each([undefined, null])('replaces any version without one: %s', async (version) => {
    await change(ADAS);
    expect(await change({ ...GRACES, version })).toMatchObject({ status: 200, body: { version: 3 } });
  });

  it.each(['1', 0, -1, 1.5, {}])('takes no version but a whole number from 1: %j', async (version) => {
    const { status, body } = await change({ ...ADAS, version });
    const message = 'version must be a whole number from 1';
    expect([status, body]).toMatchObject([400, { details: [{ field: 'version', message }] }]);
  });

  it('is refused with a version that the template has never had', async () => {
    expect((await change({ ...ADAS, version: 1e300 })).status).toBe(409);
  });
});
