import { ApiKeyAuthenticator } from '../../src/organizations/api-key-authenticator.js';
import { ApiKeys } from '../../src/organizations/api-keys.js';
import { operatorOf } from '../../src/organizations/audit/record-audit.js';
import { NO_LIMITS } from '../../src/organizations/key-limits.js';
import { KeyRows } from '../../src/organizations/key-rows.js';
import { systemClock } from '../../src/platform/clock/clock.js';
import type { Database } from '../../src/platform/database/database.js';
import { insertOrganization } from '../support/backlog.js';
import { CapturedLog } from '../support/captured-log.js';
import { eventually } from '../support/eventually.js';
import { lockedOut, whileLocked } from '../support/held-lock.js';
import { openTestDatabase, type OpenTestDatabase } from '../support/test-database.js';

let open: OpenTestDatabase;
let database: Database;
let log: CapturedLog;
/** Time of the processes since their start, which the tests move on. */
let elapsedMs: number;
let keys: readonly string[];

beforeEach(async () => {
  open = await openTestDatabase();
  ({ database } = open);
  log = new CapturedLog('warn', ['api']);
  elapsedMs = 0;
  const author = operatorOf(await insertOrganization(database));
  const create = async () => (await new ApiKeys(database).create(author, { ...NO_LIMITS, name: null })).key;
  keys = [await create(), await create(), await create()];
});
afterEach(() => open?.close());

const apiProcess = (): ApiKeyAuthenticator =>
  new ApiKeyAuthenticator(database, new KeyRows(database), systemClock, { now: () => elapsedMs }, log.logger);

async function use(by: ApiKeyAuthenticator, ...used: readonly string[]): Promise<void> {
  for (const key of used) expect(await by.identify(key, false)).toBeDefined();
}

const countUsed = async (): Promise<number> =>
  (await database.query('select from api_keys where last_used_at is not null')).length;

it('the last use of a key is stored within a minute, although no request follows it', async () => {
  const [first, second] = keys as readonly [string, string];
  const api = apiProcess();
  await use(api, first);
  elapsedMs += 29_950;
  await use(api, second);
  await eventually(async () => (await countUsed()) === 2);
});

it('two processes store the last uses of the same keys at once, whatever their order', async () => {
  const [first, ...others] = keys as readonly [string, string, string];
  // With few keys, each process would scan them all, and so in the same order.
  await database.query(
    `insert into api_keys (id, organization_id, secret_hash)
     select 'other-' || n, organization_id, secret_hash from (select * from api_keys limit 1) k, generate_series(1, 10000) n`,
  );
  await database.query('analyze api_keys');
  const [one, other] = [apiProcess(), apiProcess()];
  await use(one, first, ...others);
  await use(other, first, ...others.toReversed());
  let writing: readonly Promise<void>[] = [];
  await whileLocked(
    database,
    (sql) => sql.query(`select from api_keys where id not like 'other-%' for update`),
    async () => {
      writing = [one, other].map((api) => api.onApplicationShutdown());
      await lockedOut(database, 2);
    },
  );
  await Promise.all(writing);
  expect(await countUsed()).toBe(3);
  expect(log.text).toBe('');
});

it('a last use that Postgres did not store is stored later', async () => {
  const [first] = keys as readonly [string];
  const api = apiProcess();
  await database.query('alter table api_keys rename column last_used_at to unknown');
  await use(api, first);
  await eventually(() => log.text.includes('could not be stored'));
  await database.query('alter table api_keys rename column unknown to last_used_at');
  await api.onApplicationShutdown();
  expect(await countUsed()).toBe(1);
});

it('a last use that Postgres did not store is stored later, although no request follows it', async () => {
  const [first] = keys as readonly [string];
  const api = apiProcess();
  await whileLocked(
    database,
    (sql) => sql.query('select from api_keys for update'),
    async () => {
      await use(api, first);
      elapsedMs += 29_950;
      await lockedOut(database, 1);
      await database.query(
        `select pg_cancel_backend(pid) from pg_stat_activity
          where datname = current_database() and wait_event_type = 'Lock'`,
      );
      await eventually(() => log.text.includes('could not be stored'));
    },
  );
  await eventually(async () => (await countUsed()) === 1);
});
