import { chown, cp, rm, stat, symlink } from 'node:fs/promises';
import { SmallDisk } from '../testbed/small-disk.js';
import { waitSeconds } from '../actions.js';
import type { Scenario, ScenarioContext } from '../scenario.js';

const SECONDS = 10;

/** The tables that an email and an event are written to, and their indexes. */
const HOT_TABLES = `
  select c.oid::regclass::text as name, c.relkind = 'i' as "isIndex" from pg_class c
    left join pg_index i on i.indexrelid = c.oid
   where c.relkind in ('r', 'i')
     and coalesce(i.indrelid, c.oid)::regclass::text ~ '^(emails|email_contents|pending_emails|events_.*)$'`;

export const postgresDiskFull: Scenario = {
  id: 'F29-postgres',
  fault: `the disk under the tables of emails and events is full for ${SECONDS} s`,
  withinMs: 90_000,
  missingRequirement: () => SmallDisk.missingRequirement(),
  async inject({ testbed, startTraffic, clients, expect, note }) {
    const disk = await SmallDisk.mount(64);
    try {
      await testbed.database.query(`create tablespace small location '${await ownedByPostgres(testbed, disk)}'`);
      await moveTables(testbed, 'small');
      const load = startTraffic();
      await waitSeconds(1);
      await disk.fill();
      await waitSeconds(SECONDS);
      await disk.clear();
      await waitSeconds(1);
      await load.stop();
      const { history } = clients;
      note(`${history.repeatedSends.length} sends were refused while the disk was full, and accepted afterwards`);
      expect('the disk was full', history.repeatedSends.length > 0);
      expect(
        'every refusal was a 503',
        history.statuses.every((status) => status < 300 || status === 503),
      );
      expect('every hit got a response', history.hitsWithoutResponse === 0);
    } finally {
      await disk.clear();
      await moveTables(testbed, 'pg_default');
      await testbed.database.query('drop tablespace small');
      await disk.remove();
    }
  },
};

export const redisDiskFull: Scenario = {
  id: 'F29-redis',
  fault: `the disk under Redis is full for ${SECONDS} s`,
  withinMs: 90_000,
  missingRequirement: () => SmallDisk.missingRequirement(),
  async inject({ testbed, startTraffic, clients, expect, note }) {
    const disk = await SmallDisk.mount(64);
    const home = testbed.redis.dataDirectory;
    const folder = await disk.folder('redis');
    await moveRedis(testbed, async () => {
      await cp(home, folder, { recursive: true });
      await rm(home, { recursive: true });
      await symlink(folder, home);
    });
    try {
      const load = startTraffic();
      await waitSeconds(1);
      await disk.fill();
      await waitSeconds(SECONDS);
      const status = await testbed.withRedis((redis) => redis.info('persistence'));
      note(`Redis reported ${/aof_last_write_status:(\w+)/.exec(status)?.[1]} for its last write`);
      expect('Redis could not write', status.includes('aof_last_write_status:err'));
      await disk.clear();
      await waitSeconds(1);
      await load.stop();
      expect('every hit got a response', clients.history.hitsWithoutResponse === 0);
      expect('every send got a 2xx at the first attempt', clients.history.repeatedSends.length === 0);
    } finally {
      await disk.clear();
      await moveRedis(testbed, async () => {
        await rm(home);
        await cp(folder, home, { recursive: true });
      });
      await disk.remove();
    }
  },
};

/** PostgreSQL must own its tablespace, and it runs under another account when tests run as root. */
async function ownedByPostgres({ database }: ScenarioContext['testbed'], disk: SmallDisk): Promise<string> {
  const folder = await disk.folder('postgres');
  const [row] = await database.query<{ pid: number }>('select pg_backend_pid() as pid');
  const { uid, gid } = await stat(`/proc/${row!.pid}`);
  await chown(folder, uid, gid);
  return folder;
}

async function moveTables({ database }: ScenarioContext['testbed'], tablespace: string): Promise<void> {
  const relations = await database.query<{ name: string; isIndex: boolean }>(HOT_TABLES);
  for (const { name, isIndex } of relations) {
    await database.query(`alter ${isIndex ? 'index' : 'table'} ${name} set tablespace ${tablespace}`);
  }
}

async function moveRedis({ redis }: ScenarioContext['testbed'], move: () => Promise<void>): Promise<void> {
  await redis.kill();
  await move();
  await redis.start();
}
