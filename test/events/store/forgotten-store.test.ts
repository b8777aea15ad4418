import { forgetStore } from '../../../src/events/store/store-progress.js';
import { storeHasAll } from '../../../src/events/store/store-has-all.js';
import { openTestDatabase } from '../../support/test-database.js';

it('forgets a store that was down for long in statements that keep within their time', async () => {
  const { database, close } = await openTestDatabase(2);
  try {
    await database.query(`insert into event_store (id, caught_up_at) values (1, now() - interval '30 days')`);
    await database.query(`insert into event_store_gaps (hour) values (date_trunc('hour', now()))`);
    await database.query(
      `insert into event_store_changes (email) select 'email-' || n from generate_series(1, 25000) n`,
    );
    // As many rows take longer than a statement may on a busy server.
    await database.query(`create function end_long_statement() returns trigger language plpgsql as $$
      begin
        if (select count(*) from deleted) > 20000 then raise 'too long' using errcode = '57014'; end if;
        return null;
      end $$;
      create trigger end_long_statement after delete on event_store_changes referencing old table as deleted
        for each statement execute function end_long_statement()`);
    expect(await storeHasAll(database)).toBe(false);
    expect(await forgetStore(database)).toBe(true);
    const [left] = await database.query(`select (select count(*)::int from event_store_changes) as changes,
      (select count(*)::int from event_store_gaps) as gaps, (select count(*)::int from event_store) as stores`);
    expect(left).toEqual({ changes: 0, gaps: 0, stores: 0 });
    expect(await storeHasAll(database)).toBe(true);
    expect(await forgetStore(database)).toBe(false);
  } finally {
    await close();
  }
});
