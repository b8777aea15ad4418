import { nextPage } from '../support/next-page.js';
import { TestService, type TestClient } from '../support/service.js';

/** More than a page searches. */
const OLD = 5_000;

let service: TestService;
let client: TestClient;

beforeAll(async () => {
  service = await TestService.start({ environment: { ROLES: 'api', RATE_LIMIT_PER_MINUTE: '0', PLANS: 'pro=' } });
});
beforeEach(async () => void (client = await service.organization()));
afterAll(() => service?.stop());

const content = { subject: 'S', htmlContent: '<p>x</p>' };
const LISTS = {
  campaigns: {},
  broadcasts: { ...content, from: 'ada@acme.example' },
  templates: content,
};
type List = keyof typeof LISTS;
const lists = Object.keys(LISTS) as List[];

async function create(list: List, name: string, by = client): Promise<string> {
  const { status, body } = await by.post(`/api/${list}`, { ...LISTS[list], name });
  expect(status).toBe(201);
  return String(body.id);
}

/** Reads all pages. @param between runs before each page but the first */
async function pages(
  list: List,
  query: string,
  between = async (): Promise<unknown> => undefined,
): Promise<string[][]> {
  const found: string[][] = [];
  for (let path: string | undefined = `/api/${list}?${query}`; path !== undefined;) {
    if (found.length > 0) await between();
    const { status, body, headers } = await client.get<Record<List, { name: string }[]>>(path);
    expect(status).toBe(200);
    found.push(body[list].map(({ name }) => name));
    path = nextPage(headers);
    if (found.length > 20) throw new Error('The search does not end');
  }
  return found;
}

const search = async (list: List, text: string, rest = ''): Promise<string[]> =>
  (await pages(list, `search=${encodeURIComponent(text)}${rest}`)).flat();

describe.each(lists)('GET /api/%s?search=', (list) => {
  it('finds a part of the name in upper and lower case, newest first', async () => {
    for (const name of ['Spring sale', 'Übersicht ΠΡΟΣΦΟΡΕΣ', 'The SALE goes on']) await create(list, name);
    expect(await search(list, 'sAlE')).toEqual(['The SALE goes on', 'Spring sale']);
    expect(await search(list, 'g sale')).toEqual(['Spring sale']);
    expect(await search(list, 'übersicht')).toEqual(['Übersicht ΠΡΟΣΦΟΡΕΣ']);
    expect(await search(list, 'προσφορες')).toEqual(['Übersicht ΠΡΟΣΦΟΡΕΣ']);
    expect(await search(list, 'sales')).toEqual([]);
  });

  it('takes %, _ and \\ as ordinary characters', async () => {
    for (const name of ['50% off', 'a_b', 'a\\b', 'axb']) await create(list, name);
    expect(await search(list, '%')).toEqual(['50% off']);
    expect(await search(list, 'a_b')).toEqual(['a_b']);
    expect(await search(list, '\\')).toEqual(['a\\b']);
  });

  it('finds everything with an empty text, and nothing with one that is longer than any name', async () => {
    await create(list, 'One');
    expect(await search(list, '')).toEqual(['One']);
    expect(await search(list, 'o'.repeat(1_000))).toEqual([]);
  });

  it('keeps the search in the link of the next page', async () => {
    for (const name of ['What? 1', 'Other', 'What? 2', 'What? 3']) await create(list, name);
    expect(await pages(list, 'search=what?&limit=2')).toEqual([['What? 3', 'What? 2'], ['What? 1']]);
    expect(await pages(list, 'search=what?&limit=1')).toEqual([['What? 3'], ['What? 2'], ['What? 1']]);
  });

  it.each(['search=a&search=b', 'search=%00'])('refuses %s', async (query) => {
    expect(await client.get(`/api/${list}?${query}`)).toMatchObject({
      status: 400,
      body: { details: [{ field: 'search', message: 'search must be a single text' }] },
    });
  });

  it('finds nothing of another organization', async () => {
    await create(list, 'Secret', await service.organization());
    expect(await search(list, 'secret')).toEqual([]);
  });
});

it('a search finds no archived campaigns', async () => {
  await create('campaigns', 'Sale of today');
  await client.post(`/api/campaigns/${await create('campaigns', 'Sale of yesterday')}/archive`);
  expect(await search('campaigns', 'sale')).toEqual(['Sale of today']);
});

describe.each(['campaigns', 'broadcasts'] as const)('GET /api/%s?search= among more than a page searches', (list) => {
  const INSERT = {
    campaigns: 'insert into campaigns (id, organization_id, name)',
    broadcasts: `, message as (insert into messages (id, organization_id, subject) values (gen_random_uuid(), $1, 'S') returning id)
       insert into broadcasts (id, organization_id, name, message_id, sender)`,
  };
  const MORE = { campaigns: '', broadcasts: ", (select id from message), 'a@acme.example'" };

  /** Number 1 is the oldest; those divisible by 1,000 have another name. */
  const insertOld = () =>
    service.database.query(
      `with made as (
         select ('0190f3a4-7c1e-7a52-9c63-' || lpad(n::text, 12, '0'))::uuid as id,
                case when n % 1000 = 0 then 'A NEEDLE, number ' || n else 'Hay ' || n end as name
           from generate_series(1, $2::integer) n)
       ${INSERT[list]} select id, $1::uuid, name${MORE[list]} from made`,
      [client.organizationId, OLD],
    );
  const needles = Array.from({ length: OLD / 1_000 }, (_, n) => `A NEEDLE, number ${OLD - n * 1_000}`);

  beforeEach(insertOld);
  afterEach(() => service.database.query(`delete from ${list} where organization_id = $1`, [client.organizationId]));

  it.each([1, 3, 50])('finds each once in pages of %d, also while new ones are added', async (limit) => {
    const found = await pages(list, `search=needle&limit=${limit}`, () => create(list, `Needle ${Math.random()}`));
    expect(found.flat()).toEqual(needles);
    expect(Math.max(...found.map(({ length }) => length))).toBeLessThanOrEqual(limit);
  });

  it('ends after few pages if nothing matches, each of which leads on', async () => {
    expect(await pages(list, 'search=nothing')).toEqual([[], [], []]);
  });
});
