import { ACCEPT } from '../../../src/emails/accept/acceptance-statement.js';
import { acceptanceValues } from '../../../src/emails/accept/acceptance-values.js';
import { FEED } from '../../../src/emails/dispatch/feed-statement.js';
import { insertBacklog, insertOrganization } from '../../support/backlog.js';
import { pagesRead } from '../../support/pages-read.js';
import {
  accept,
  backlog,
  database,
  dispatched,
  feed,
  front,
  giveOwnProvider,
  newEmail,
  pending,
  useDispatchWindow,
  window,
} from './dispatch-window-fixture.js';

useDispatchWindow();

describe('positions in the dispatch queue', () => {
  it('follow those of earlier emails of the organization; a new organization starts at the front', async () => {
    const large = await backlog(500);
    await feed(100);
    await database.query('delete from pending_emails where place < 60');
    const more = await feed(100);
    expect(more.fed.map(({ position }) => position)).toEqual(Array.from({ length: 60 }, (_, n) => 100 + n));
    const small = await backlog(2);
    const { fed } = await feed(120);
    expect(fed.map(({ position }) => position)).toEqual([60, 61]);
    expect(await dispatched(large, small)).toEqual([100, 2]);

    await database.query(`update pending_emails set lease_token = gen_random_uuid() where place < 110`);
    await feed(0);
    await database.query('update dispatch_window set share = 1000');
    const [accepted, behind] = [await accept(await insertOrganization(database)), await accept(large)];
    expect([accepted.position, behind.position]).toEqual([110, 160]);
  });

  it('of a new organization are not behind mail that waits for own providers of its organization', async () => {
    const waiting = await backlog(100);
    await giveOwnProvider(waiting);
    await feed(100);
    await feed(100);
    const small = await backlog(1);
    const { fed } = await feed(100);
    expect(fed.map(({ position }) => position)).toEqual([0]);
    expect(await dispatched(waiting, small)).toEqual([100, 1]);
    expect((await accept(await insertOrganization(database))).position).toBe(0);
  });

  it('of a new organization are where the others are, even if all mail is for own providers', async () => {
    const [sending, waiting] = [await backlog(100), await backlog(10)];
    await giveOwnProvider(sending);
    await giveOwnProvider(waiting);
    await feed(200);
    await database.query('delete from pending_emails where organization_id = $1 and place < 40', [sending]);
    // Its worker no longer works on it.
    await database.query(
      `update pending_emails set lease_token = gen_random_uuid(), lease_until = now() - interval '1 s' where place = 40`,
    );
    await feed(200);
    expect((await accept(await insertOrganization(database))).position).toBe(41);
    expect((await accept(sending)).position).toBe(100);
  });

  it('go on while mail waits for an own provider of its organization', async () => {
    const held = await backlog(5);
    await giveOwnProvider(held);
    await feed(100);
    const large = await backlog(60);
    await feed(100);
    await database.query('delete from pending_emails where organization_id = $1 and place < 50', [large]);
    await feed(100);
    expect((await accept(await insertOrganization(database))).position).toBeGreaterThanOrEqual(50);
  });

  it('restart at 0 once they are high, and emails in the queue move to the start', async () => {
    await database.query('update dispatch_window set front = 2000000');
    const [organization, another] = [await insertOrganization(database), await insertOrganization(database)];
    expect((await accept(organization)).position).toBe(2_000_000);
    const before = await pending();
    expect((await feed(10)).restarted).toBe(true);
    expect((await accept(another)).position).toBe(0);
    expect(await feed(10)).toMatchObject({ restarted: true, fed: [] });
    const { restarted, fed } = await feed(10);
    expect([restarted, fed]).toEqual([
      false,
      [{ emailId: before[0]!.email_id, generation: before[0]!.generation + 1, position: 0 }],
    ]);
    expect((await accept(organization)).position).toBe(1);
  });

  it('also restart for emails that were accepted meanwhile', async () => {
    await database.query('update dispatch_window set front = 2000000');
    const late = await backlog(1);
    await feed(10);
    await database.query('update pending_emails set dispatched_at = now(), place = 2000000');
    await accept(await insertOrganization(database));
    expect((await feed(10)).restarted).toBe(true);
    expect((await feed(10)).fed.map(({ position }) => position)).toEqual([0]);
    expect(await dispatched(late)).toEqual([1]);
  });

  it('do not restart while many emails have one, but do before the numbers run out', async () => {
    await database.query('update dispatch_window set front = 2000000');
    const organization = await backlog(1_100);
    await database.query('update pending_emails set place = 2000000, dispatched_at = now()');
    expect((await feed(2_000)).restarted).toBe(false);
    await database.query('update dispatch_window set front = 21000000');
    await database.query('update pending_emails set place = 21000000');
    expect((await feed(2_000)).restarted).toBe(true);
    await feed(2_000);
    const { fed } = await feed(2_000);
    expect(fed.map(({ position }) => position)).toEqual(Array.from({ length: 1_100 }, (_, place) => place));
    expect(await dispatched(organization)).toEqual([1_100]);
  });

  it('neither repeat their restart nor stop other mail while an email of it is locked', async () => {
    await database.query('update dispatch_window set front = 2000000');
    const [locked] = [await insertOrganization(database), await accept(await insertOrganization(database))];
    await accept(locked);
    expect((await feed(10)).restarted).toBe(true);
    const other = await backlog(1);
    await database.transaction(async (sql) => {
      await sql.query('select from pending_emails where organization_id = $1 for update', [locked]);
      expect(await feed(10)).toMatchObject({ restarted: true, fed: [] });
      const { restarted, fed } = await feed(10);
      expect([restarted, fed.map(({ position }) => position)]).toEqual([false, [0, 0]]);
      expect(await dispatched(locked, other)).toEqual([1, 1]);
    });
    expect(await feed(10)).toMatchObject({ restarted: true, fed: [] });
    expect((await feed(10)).fed).toHaveLength(1);
  });

  it('do not depend on an email from before the restart that a worker still delivers', async () => {
    await database.query('update dispatch_window set front = 2000000');
    const organization = await insertOrganization(database);
    await accept(organization);
    await database.query(
      `update pending_emails set lease_token = gen_random_uuid(), lease_until = now() + interval '1 h'`,
    );
    expect((await feed(10)).restarted).toBe(true);
    expect((await feed(10)).restarted).toBe(false);
    expect((await accept(organization)).position).toBe(0);
    expect(await front()).toBe(0);
  });
});

describe('while a snapshot keeps dead rows of delivered emails', () => {
  /** Pages that Postgres reads for a statement, which is rolled back. */
  async function pagesOf(statement: string, values: readonly unknown[]): Promise<number> {
    let pages = 0;
    await database
      .transaction(async (sql) => {
        await sql.query('set local enable_seqscan = off');
        pages = await pagesRead(sql, statement, values);
        throw new Error('undone');
      })
      .catch((error: Error) => expect(error.message).toBe('undone'));
    return pages;
  }

  it('neither a send nor the feeder reads them all', async () => {
    const organization = await insertOrganization(database);
    const epoch = await window.epoch();
    const pagesRead = async () => [
      await pagesOf(ACCEPT.text, ACCEPT.inOrder(acceptanceValues([{ email: newEmail(organization) }]))),
      await pagesOf(FEED, [100, epoch, 1_000]),
    ];
    const pagesWithOneToFeed = async () => {
      await feed(100);
      await insertBacklog(database, organization, 1);
      return pagesRead();
    };
    const before = await pagesWithOneToFeed();
    const expectFewPages = async () =>
      (await pagesWithOneToFeed()).forEach((pages, index) => expect(pages - before[index]!).toBeLessThan(40));
    await database.transaction(async (sql) => {
      await sql.query('set transaction isolation level repeatable read');
      await sql.query('set local idle_in_transaction_session_timeout = 0');
      await sql.query('select from emails');
      await insertBacklog(database, organization, 10_000, `now() - interval '10 min'`);
      await database.query('delete from pending_emails');
      await expectFewPages();
      // As autovacuum does at some time: for an empty table the planner assumes that reading all of it is free.
      await database.query('analyze pending_emails');
      await expectFewPages();
    });
  });
});
