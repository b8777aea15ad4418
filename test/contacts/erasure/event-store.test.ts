import { ErasureBench } from './erasure-bench.js';

let bench: ErasureBench;
beforeAll(async () => void (bench = await ErasureBench.start()));
afterAll(() => bench?.stop());

/** The emails whose events the event store has to delete. */
const forgotten = async (): Promise<string[]> =>
  (await bench.service.database.query<{ email: string }>('select email from event_store_changes')).map(
    ({ email }) => email,
  );

it('an erasure also deletes the events of the email in the event store, if there is one', async () => {
  const { service } = bench;
  await bench.send({ to: 'jane@example.com' });
  expect(await bench.erase('jane@example.com')).toBe(true);
  expect(await forgotten()).toEqual([]);
  await service.database.query('insert into event_store (id, caught_up_at) values (1, now())');
  const { emailTrackingId } = await bench.send({ to: 'carl@example.com' });
  await bench.send({ to: 'bob@example.com' });
  await bench.erase('carl@example.com');
  expect(await forgotten()).toEqual([emailTrackingId]);
});
