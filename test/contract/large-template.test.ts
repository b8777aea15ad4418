import { TestService } from '../support/service.js';

let service: TestService;
beforeAll(async () => {
  service = await TestService.start({ environment: { ROLES: 'api' } });
});
afterAll(() => service?.stop());

it('a template with more content in its versions than one statement has the time for can be deleted', async () => {
  const client = await service.organization();
  const template = { name: 'Welcome', subject: 'Welcome', htmlContent: '<p>Welcome</p>' };
  const { id } = (await client.post<{ id: string }>('/api/templates', template)).body;
  const { database } = service;
  // 170 MB.
  await database.query(
    `insert into template_versions (id, template_id, version, subject, html_content, variables)
     select gen_random_uuid(), $1, n, 'Welcome', repeat('x', 5000000), '{}' from generate_series(2, 35) n`,
    [id],
  );
  await database.query('update templates set version = 35 where id = $1', [id]);
  // A statement has 15 seconds. Here it deletes 10 MB a second.
  await database.query(`
    create function sleep_for_content() returns trigger language plpgsql as $$
    begin perform pg_sleep((select sum(octet_length(html_content)) from gone) / 1e7); return null; end $$`);
  await database.query(`
    create trigger slow after delete on template_versions referencing old table as gone
      for each statement execute function sleep_for_content()`);
  expect(await client.delete(`/api/templates/${id}`)).toMatchObject({ status: 204 });
  expect((await client.get(`/api/templates/${id}`)).status).toBe(404);
  expect(await database.query('select from template_versions where template_id = $1', [id])).toEqual([]);
});
