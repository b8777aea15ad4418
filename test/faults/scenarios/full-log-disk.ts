import { chown, cp, readdir, rm, stat, symlink } from 'node:fs/promises';
import { join } from 'node:path';
import { eventually } from '../../support/eventually.js';
import { waitSeconds } from '../actions.js';
import type { Testbed } from '../testbed/testbed.js';
import { SmallDisk } from '../testbed/small-disk.js';
import type { Scenario } from '../scenario.js';

const DISK_MB = 256;
const SECONDS_AWAY = 3;
const TIMEOUT_MS = 60_000;

/** More than fits into the empty segments that Postgres keeps. */
const MUCH_LOG = `
create table ballast as select repeat(md5(n::text), 30) as text from generate_series(1, 400000) as n`;

export const logDiskFull: Scenario = {
  id: 'F29-wal',
  fault: `the disk under the log of Postgres (pg_wal) is full: Postgres stops, and is back after ${SECONDS_AWAY} s`,
  withinMs: 90_000,
  missingRequirement: () => SmallDisk.missingRequirement(),
  async inject({ testbed, startTraffic, clients, expect, note }) {
    const disk = await SmallDisk.mount(DISK_MB);
    const folder = await moveLog(testbed, disk);
    try {
      const load = startTraffic();
      await waitSeconds(1);
      await disk.fill();
      await testbed.database.query(MUCH_LOG).catch(() => undefined);
      await eventually(() => !testbed.postgres.isRunning, TIMEOUT_MS);
      await waitSeconds(SECONDS_AWAY);
      await disk.clear();
      const log = await testbed.postgres.log();
      await testbed.postgres.start();
      await waitSeconds(1);
      await load.stop();
      const { history } = clients;
      expect(
        'Postgres stopped because the disk was full',
        log.includes('PANIC') && log.includes('No space left on device'),
      );
      note(`${history.repeatedSends.length} sends were refused while Postgres was down, and accepted afterwards`);
      expect('every hit got a response', history.hitsWithoutResponse === 0);
      await testbed.database.query('drop table if exists ballast');
    } finally {
      await disk.clear();
      if (testbed.postgres.isRunning) await testbed.postgres.stop('fast');
      const log = join(testbed.postgres.dataDirectory, 'pg_wal');
      await rm(log);
      await cp(folder, log, { recursive: true, preserveTimestamps: true });
      await ownAs(testbed, log);
      await testbed.postgres.start();
      await disk.remove();
    }
  },
};

/** Moves the log while Postgres is stopped, as an operator would. Resolves with its new folder. */
async function moveLog(testbed: Testbed, disk: SmallDisk): Promise<string> {
  const log = join(testbed.postgres.dataDirectory, 'pg_wal');
  const folder = join(disk.path, 'pg_wal');
  await testbed.postgres.stop('fast');
  await cp(log, folder, { recursive: true });
  await rm(log, { recursive: true });
  await symlink(folder, log);
  await ownAs(testbed, folder);
  await testbed.postgres.start();
  return folder;
}

/** Makes the account of the server own a folder. */
async function ownAs(testbed: Testbed, folder: string): Promise<void> {
  const { uid, gid } = await stat(testbed.postgres.dataDirectory);
  const names = await readdir(folder, { recursive: true });
  for (const path of [folder, ...names.map((name) => join(folder, name))]) await chown(path, uid, gid);
}
