import { openDatabase } from '../../src/platform/database/open-database.js';
import { continueCancellation } from '../../src/organizations/deletion/cancel-organization-mail.js';
import { markDeleted } from '../../src/organizations/deletion/mark-deleted.js';
import { runCommand } from '../support/command-line.js';
import { eventually } from '../support/eventually.js';
import { createTestDatabase, type TestDatabase } from '../support/services.js';

let testDatabase: TestDatabase;

beforeAll(async () => {
  testDatabase = await createTestDatabase();
});
afterAll(() => testDatabase?.drop());

const resume = (id: string) => runCommand({ DATABASE_URL: testDatabase.url }, 'org', 'resume', '--org', id);

it('org resume ends a pause once, and reports when there was none', async () => {
  const { output } = await runCommand({ DATABASE_URL: testDatabase.url }, 'org', 'create', '--name', 'Acme');
  const { id } = JSON.parse(output) as { id: string };
  const database = await openDatabase(testDatabase.url, 1);
  await database.query(`insert into sending_guards (organization_id, state, reason) values ($1, 'paused', 'x')`, [id]);
  await database.pool.end();
  expect(JSON.parse((await resume(id)).output)).toEqual({ id, resumed: true });
  expect(JSON.parse((await resume(id)).output)).toEqual({ id, resumed: false });
  expect(await resume('00000000-0000-7000-8000-000000000000')).toEqual({ code: 1, output: 'Organization not found\n' });
});

it('org resume refuses two different organizations, because it could not know which one is meant', async () => {
  const run = (...words: string[]) => runCommand({ DATABASE_URL: testDatabase.url }, 'org', ...words);
  const create = async () => JSON.parse((await run('create', '--name', 'Two')).output) as { id: string };
  const [one, other] = [await create(), await create()];
  await run('suspend', one.id, '--reason', 'Spam');
  expect(await run('resume', one.id, '--org', other.id)).toEqual({
    code: 1,
    output: 'Name the organization once: by its ID or by --org\n',
  });
  expect(JSON.parse((await run('resume', one.id)).output)).toEqual({ id: one.id, resumed: true });
});

it('org suspend stops an organization with a reason, and org resume ends that', async () => {
  const run = (...words: string[]) => runCommand({ DATABASE_URL: testDatabase.url }, 'org', ...words);
  const { id } = JSON.parse((await run('create', '--name', 'Spam Ltd')).output) as { id: string };
  expect(JSON.parse((await run('suspend', id, '--reason', 'It sends spam')).output)).toEqual({
    id,
    suspended: true,
    reason: 'It sends spam',
  });
  expect(JSON.parse((await run('resume', id)).output)).toEqual({ id, resumed: true });
  const stopped = JSON.parse(
    (await run('suspend', id, '--reason', 'Phishing', '--cancel', '--links')).output,
  ) as object;
  expect(stopped).toMatchObject({ suspended: true, links: 'blocked', canceled: { emails: 0, broadcasts: 0 } });
  const database = await openDatabase(testDatabase.url, 1);
  const blocked = () => database.query('select kind, value from blocked_links');
  expect(await blocked()).toEqual([{ kind: 'organization', value: id }]);
  expect(await run('resume', id)).toMatchObject({ code: 1, output: expect.stringContaining('still being canceled') });
  await database.query(`update sending_guards set cancel_step_at = now() - interval '1 s'`);
  expect(await continueCancellation(database, () => true)).toBe(true);
  expect(JSON.parse((await run('resume', id)).output)).toEqual({ id, resumed: true, links: 'unblocked' });
  expect(await blocked()).toEqual([]);
  const audited = await database.query<{ action: string; details: object }>(
    `select action, details from audit_entries where organization_id = $1 and action in ('organization.suspended', 'organization.resumed')
      order by at, id`,
    [id],
  );
  expect(audited).toEqual([
    { action: 'organization.suspended', details: { reason: 'It sends spam', cancel: false, links: false } },
    { action: 'organization.resumed', details: { links: false } },
    { action: 'organization.suspended', details: { reason: 'Phishing', cancel: true, links: true } },
    { action: 'organization.resumed', details: { links: true } },
  ]);
  await database.pool.end();
  expect(await run('suspend', id, '--reason', ' ')).toEqual({
    code: 1,
    output: 'reason must have 1 to 500 characters\n',
  });
  expect(await run('suspend', 'nobody', '--reason', 'x')).toEqual({ code: 1, output: 'Organization not found\n' });
});

it('cli org usage ID shows each budget: used, limit and renewal', async () => {
  const run = (...words: string[]) =>
    runCommand({ DATABASE_URL: testDatabase.url, BUDGET_EMAILS_PER_DAY: 'free=500' }, 'org', ...words);
  const { id } = JSON.parse((await run('create', '--name', 'Acme')).output) as { id: string };
  const database = await openDatabase(testDatabase.url, 1);
  await database.query(
    `insert into budget_usage (organization_id, budget, period, used)
     values ($1, 'emailsPerDay', date_trunc('day', now(), 'UTC'), 17), ($1, 'emailsPerDay', to_timestamp(0), 99)`,
    [id],
  );
  await database.pool.end();
  expect(JSON.parse((await run('usage', id)).output)).toMatchObject({
    id,
    plan: 'free',
    budgets: {
      emailsPerDay: { used: 17, limit: 500, renewsAt: expect.stringMatching(/T00:00:00\.000Z$/) },
      domains: { used: 0, limit: 100, renewsAt: null },
    },
  });
  expect(await run('usage', 'nobody')).toEqual({ code: 1, output: 'Organization not found\n' });
});

it('org delete deletes nothing without a terminal to confirm it, but does with --yes', async () => {
  const run = (...words: string[]) => runCommand({ DATABASE_URL: testDatabase.url }, 'org', ...words);
  const { id } = JSON.parse((await run('create', '--name', 'Leaving Ltd')).output) as { id: string };
  const database = await openDatabase(testDatabase.url, 1);
  const isDeleted = async () => {
    const [row] = await database.query<{ deleted: boolean }>(
      'select deleted_at is not null as deleted from organizations where id = $1',
      [id],
    );
    return row!.deleted;
  };
  try {
    expect(await run('delete', id)).toEqual({
      code: 1,
      output: 'This deletes "Leaving Ltd" for good. Add --yes if that is right\n',
    });
    expect(await isDeleted()).toBe(false);
    expect(await run('delete', 'nobody', '--yes')).toEqual({ code: 1, output: 'Organization not found\n' });
    expect(JSON.parse((await run('delete', id, '--yes')).output)).toEqual({ id, deleted: true });
    expect(await isDeleted()).toBe(true);
  } finally {
    await database.pool.end();
  }
});

it('org resume finds no organization whose deletion commits in the meantime, so that none of its mail is sent', async () => {
  const { output } = await runCommand({ DATABASE_URL: testDatabase.url }, 'org', 'create', '--name', 'Leaving');
  const { id } = JSON.parse(output) as { id: string };
  const database = await openDatabase(testDatabase.url, 2);
  await runCommand({ DATABASE_URL: testDatabase.url }, 'org', 'suspend', id, '--reason', 'Spam');
  const resumed = await database.transaction(async (sql) => {
    await markDeleted(sql, id);
    const resuming = resume(id);
    await eventually(async () => {
      const locked = await database.query(`select from pg_stat_activity
        where datname = current_database() and wait_event_type = 'Lock'`);
      return locked.length === 1;
    });
    return { resuming };
  });
  expect(await resumed.resuming).toEqual({ code: 1, output: 'Organization not found\n' });
  const [guard] = await database.query('select state from sending_guards where organization_id = $1', [id]);
  expect(guard).toEqual({ state: 'paused' });
  await database.pool.end();
});
