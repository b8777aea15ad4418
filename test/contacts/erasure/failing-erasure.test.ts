import { ErasureSteps } from '../../../src/contacts/erasure/erasure-steps.js';
import { CapturedLog } from '../../support/captured-log.js';
import { insertOrganization } from '../../support/backlog.js';
import { interruptOnce } from '../../support/interrupted-once.js';
import { openTestDatabase, type OpenTestDatabase } from '../../support/test-database.js';

const metrics = { count: () => undefined };

let open: OpenTestDatabase;
beforeAll(async () => void (open = await openTestDatabase(2)));
afterAll(() => open?.close());

it('an erasure whose step fails again and again delays no other', async () => {
  const { database } = open;
  const log = new CapturedLog('warn', ['worker']);
  const steps = new ErasureSteps(database, metrics as never, log.logger);
  const organizationId = await insertOrganization(database);
  await database.query(
    `insert into contact_erasures (id, organization_id, address_key, step_at)
     select gen_random_uuid(), $1, address, now() - age
       from (values ('failing@example.com', interval '1 hour'), ('healthy@example.com', interval '1 minute')) as t (address, age)`,
    [organizationId],
  );
  await database.query(
    `create function fail() returns trigger language plpgsql as $$ begin raise exception 'planted'; end $$`,
  );
  await database.query(
    `create trigger fail before delete on contact_erasures for each row
       when (old.address_key = 'failing@example.com') execute function fail()`,
  );
  for (let step = 0; step < 10 && (await steps.next()) === 0; step++);
  expect(await database.query('select address_key, step_at > now() as later from contact_erasures')).toEqual([
    { address_key: 'failing@example.com', later: true },
  ]);
  expect(log.text).toContain('planted');
  await database.query('drop trigger fail on contact_erasures');
  // The clocks of two processors may differ by microseconds.
  await database.query(`update contact_erasures set step_at = now() - interval '1 s'`);
  for (let step = 0; step < 10 && (await steps.next()) === 0; step++);
  expect(await database.query('select from contact_erasures')).toEqual([]);
});

it.each(['40P01', '57P01'])('an erasure whose step Postgres interrupts once with %s goes on at once', async (code) => {
  const { database } = open;
  const log = new CapturedLog('warn', ['worker']);
  const steps = new ErasureSteps(database, metrics as never, log.logger);
  const organizationId = await insertOrganization(database);
  const [erasure] = await database.query<{ stepAt: Date }>(
    `insert into contact_erasures (id, organization_id, address_key, step_at)
     values (gen_random_uuid(), $1, 'healthy@example.com', now() - interval '1 minute') returning step_at as "stepAt"`,
    [organizationId],
  );
  await interruptOnce(database, 'delete on contact_erasures', code);
  await expect(steps.next()).rejects.toMatchObject({ code });
  expect(await database.query('select step_at as "stepAt" from contact_erasures')).toEqual([erasure]);
  for (let step = 0; step < 10 && (await steps.next()) === 0; step++);
  expect(await database.query('select from contact_erasures')).toEqual([]);
  expect(log.text).toBe('');
  await database.query('drop function interrupt cascade');
  await database.query('drop sequence attempts');
});
