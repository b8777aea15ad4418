import { TestService } from '../../support/service.js';

const EMAILS = 200;
const LINES = 1_000;

let service: TestService;
beforeAll(async () => {
  service = await TestService.start();
});
afterAll(() => service?.stop());

it('an erasure ends although 20 MB of HTML, of emails that others keep, are searched for the address', async () => {
  const client = await service.organization();
  await service.database.query(
    `with made as (
       insert into emails (id, tracking_id, organization_id, contact_ids, status, created_at)
       select gen_random_uuid(), 'x-' || gen_random_uuid(), $1, '{}', 'sent', now() from generate_series(1, $2::integer)
       returning id
     )
     insert into email_contents (email_id, sender, to_addresses, subject, html)
     select id, 'ada@acme.example', array['Jane <jane@example.com>', 'bob@example.com'], 'S',
            repeat('<p style="color:red">Words <a href="https://shop.example/x?y=1&amp;z=%20">of a newsletter</a> to everybody</p>',
              $3::integer) || 'for jane@example.com'
       from made`,
    [client.organizationId, EMAILS, LINES],
  );
  const path = `/api/contacts/${encodeURIComponent('jane@example.com')}`;
  expect([204, 202]).toContain((await client.delete(path)).status);
  expect((await client.get(`${path}/export`)).status).toBe(404);
  const [left] = await service.database.query<{ n: number }>(
    `select count(*)::integer as n from email_contents where html like '%jane%' or array_to_string(to_addresses, ' ') like '%jane%'`,
  );
  expect(left!.n).toBe(0);
});
