import { Database } from '../../../src/platform/database/database.js';
import { openDatabase } from '../../../src/platform/database/open-database.js';
import { eventually } from '../../support/eventually.js';
import { createTestDatabase } from '../../support/services.js';
import { TcpProxy } from '../../support/tcp-proxy.js';

let url: string;
let database: Database;
const closers: (() => Promise<unknown>)[] = [];

beforeAll(async () => {
  const created = await createTestDatabase();
  ({ url } = created);
  database = await openDatabase(url, 3);
  closers.push(
    () => database.pool.end(),
    () => created.drop(),
  );
});
afterAll(async () => {
  for (const close of closers) await close();
});

async function isGone(pid: number): Promise<boolean> {
  return (await database.query('select from pg_stat_activity where pid = $1', [pid])).length === 0;
}

it('a snapshot reads the state of one moment, despite concurrent writes', async () => {
  await database.query('create table written (number int)');
  const count = 'select count(*)::int from written';
  const counts = await database.snapshot(async (sql) => {
    const [before] = await sql.query(count);
    await database.query('insert into written values (1)');
    return [before, (await sql.query(count))[0]];
  });
  expect(counts).toEqual([{ count: 0 }, { count: 0 }]);
  await expect(database.snapshot((sql) => sql.query('insert into written values (2)'))).rejects.toMatchObject({
    code: '25006',
  });
  expect(await database.query(count)).toEqual([{ count: 1 }]);
  await database.query('drop table written');
});

describe('a transaction', () => {
  it('that loses its connection between two statements fails, and affects no other', async () => {
    const lost = database.transaction(async (sql) => {
      const [row] = await sql.query<{ pid: number }>('select pg_backend_pid() as pid');
      await database.query('select pg_terminate_backend($1)', [row!.pid]);
      await eventually(() => isGone(row!.pid));
      await sql.query('select 1');
    });
    await expect(lost).rejects.toThrow();
    expect(await database.transaction((sql) => sql.query('select 1 as one'))).toEqual([{ one: 1 }]);
  });

  it.each([
    ['that only reads', 'set transaction read only', 'create table refused (number int)', '25006'],
    ['of a server that shuts down', '', "do $$ begin raise exception 'bye' using errcode = '57P01'; end $$", '57P01'],
  ])('gives up a connection %s', async (_what, before, statement, code) => {
    let pid: number | undefined;
    const refused = database.transaction(async (sql) => {
      const [row] = await sql.query<{ pid: number }>('select pg_backend_pid() as pid');
      pid = row!.pid;
      if (before) await sql.query(before);
      await sql.query(statement);
    });
    await expect(refused).rejects.toMatchObject({ code });
    await eventually(() => isGone(pid!));
  });

  it('is ended when its process is stopped', async () => {
    const stuck = database.transaction(async (sql) => {
      const [row] = await sql.query<{ pid: number }>('select pg_backend_pid() as pid');
      await eventually(() => isGone(row!.pid), 10_000);
      await sql.query('select 1');
    });
    await expect(stuck).rejects.toThrow();
  });
});

it('ends a statement that exceeds the timeout of the process, and closes its connections after a while', async () => {
  const { url, drop } = await createTestDatabase();
  const impatient = await openDatabase(url, 1, { timeouts: { connectMs: 1_000, statementMs: 100 } });
  try {
    await expect(impatient.query('select pg_sleep(5)')).rejects.toMatchObject({ code: '57014' });
    await expect(impatient.transaction((sql) => sql.query('select pg_sleep(5)'))).rejects.toMatchObject({
      code: '57014',
    });
    expect(impatient.pool.options.maxLifetimeSeconds).toBeGreaterThan(0);
  } finally {
    await impatient.pool.end();
    await drop();
  }
});

it('waits longer for its first connection than requests wait for theirs', async () => {
  const proxy = await TcpProxy.before(new URL(url));
  closers.unshift(() => proxy.goDown());
  // A connection takes several round trips.
  proxy.slowDown(300);
  const opened = await openDatabase(proxy.through(url), 1, { timeouts: { connectMs: 200, statementMs: 5_000 } });
  try {
    const { pid } = (await opened.query<{ pid: number }>('select pg_backend_pid() as pid'))[0]!;
    await database.query('select pg_terminate_backend($1)', [pid]);
    await eventually(() => opened.pool.totalCount === 0);
    await expect(opened.query('select 1')).rejects.toThrow('Connection terminated due to connection timeout');
  } finally {
    await opened.pool.end();
  }
});

it('reads by index, even from small tables', async () => {
  await database.query('create table few (number int primary key)');
  const plan = await database.query('explain select from few where number = any(array(select unnest($1::int[])))', [
    [1],
  ]);
  expect(JSON.stringify(plan)).toContain('few_pkey');
  await database.query('drop table few');
});
