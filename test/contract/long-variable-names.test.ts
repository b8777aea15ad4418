import { nextPage } from '../support/next-page.js';
import { TestService, type TestClient } from '../support/service.js';

const COUNT = 250;
/** The names of one template: 10,000 characters, which take sixteen times as much memory. */
const NAMES = 2_500;
const MAX_BODY = 2_500_000;

let service: TestService;
let client: TestClient;

beforeAll(async () => {
  service = await TestService.start({ environment: { ROLES: 'api' } });
});
beforeEach(async () => {
  client = await service.organization();
});
afterAll(() => service?.stop());

/** The `field` of all items of a list, whose pages end early. */
async function listed(path: string, list: string, field: string): Promise<unknown[]> {
  const found: unknown[] = [];
  let pages = 0;
  for (let next: string | undefined = path; next !== undefined; pages++) {
    const { body, headers } = await client.get<Record<string, Record<string, unknown>[]>>(next);
    expect(JSON.stringify(body).length).toBeLessThan(MAX_BODY);
    found.push(...body[list]!.map((item) => item[field]));
    next = nextPage(headers);
  }
  expect(pages).toBe(3);
  return found;
}

/** Adds versions, from 1 on, each to the template whose ID the SQL returns. */
async function addVersions(templateId: string, version: string): Promise<void> {
  await service.database.query(
    `insert into template_versions (id, template_id, version, subject, html_content, variables)
     select gen_random_uuid(), ${templateId}, ${version}, 'Hi', '<p>Hi</p>',
            (select array_agg('v' || lpad(to_hex(m), 3, '0')) from generate_series(1, ${NAMES}) m)
       from generate_series(1, ${COUNT}) n`,
  );
}

const id = (n: string): string => `('00000000-0000-7000-8000-' || lpad(${n}::text, 12, '0'))::uuid`;

it('a page of templates ends early when the names of their variables are long, and the next one continues', async () => {
  await service.database.query(
    `insert into templates (id, organization_id, name)
     select ${id('n')}, $1, 'Template ' || n from generate_series(1, ${COUNT}) n`,
    [client.organizationId],
  );
  await addVersions(id('n'), '1');
  const names = Array.from({ length: COUNT }, (_, n) => `Template ${COUNT - n}`);
  expect(await listed('/api/templates', 'templates', 'name')).toEqual(names);
});

it('and so does a page of versions', async () => {
  const [template] = await service.database.query<{ id: string }>(
    `insert into templates (id, organization_id, name, version) values (gen_random_uuid(), $1, 'One', ${COUNT}) returning id`,
    [client.organizationId],
  );
  await addVersions(`'${template!.id}'`, 'n');
  const versions = Array.from({ length: COUNT }, (_, n) => COUNT - n);
  expect(await listed(`/api/templates/${template!.id}/versions`, 'versions', 'version')).toEqual(versions);
});
