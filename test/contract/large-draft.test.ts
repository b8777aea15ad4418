import { BroadcastClient } from '../support/broadcast-client.js';
import { TestService } from '../support/service.js';

let service: TestService;
beforeAll(async () => {
  service = await TestService.start({ environment: { ROLES: 'api' } });
});
afterAll(() => service?.stop());

it('a draft with more recipients than one statement has the time for can be deleted', async () => {
  const client = await service.organization();
  const id = await new BroadcastClient(client).create();
  const { database } = service;
  await database.query(
    `insert into broadcast_recipients (broadcast_id, address_key, address, place)
     select $1, n || '@example.com', n || '@example.com', n from generate_series(1, 16000) n`,
    [id],
  );
  await database.query('update broadcasts set recipients = 16000, last_place = 16000 where id = $1', [id]);
  // A statement has 15 seconds.
  await database.query(`
    create function sleep_for_recipients() returns trigger language plpgsql as $$
    begin perform pg_sleep((select count(*) from gone) / 1000.0); return null; end $$`);
  await database.query(`
    create trigger slow after delete on broadcast_recipients referencing old table as gone
      for each statement execute function sleep_for_recipients()`);
  expect(await client.delete(`/api/broadcasts/${id}`)).toMatchObject({ status: 204 });
  expect((await client.get(`/api/broadcasts/${id}`)).status).toBe(404);
});
