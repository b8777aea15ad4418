import { chown, cp, readdir, rm, stat, symlink } from 'node:fs/promises';
import { join } from 'node:path';
import { eventually } from '../../support/eventually.js';
import { during } from '../moves.js';
import type { Plant } from '../plant/plant.js';
import { SmallDisk } from '../plant/small-disk.js';
import type { Scenario } from '../scenario.js';

const DISK_MB = 256;
const SECONDS_AWAY = 3;
const PATIENCE_MS = 60_000;

/** More than Postgres keeps as empty segments. */
const MUCH_LOG = `
create table ballast as select repeat(md5(n::text), 30) as text from generate_series(1, 400000) as n`;

export const logDiskFull: Scenario = {
  id: 'F29-wal',
  fault: `the disk under the log of Postgres (pg_wal) is full: Postgres stops, and is back after ${SECONDS_AWAY} s`,
  withinMs: 90_000,
  missing: () => SmallDisk.missing(),
  async inject({ plant, traffic, clients, expect, note }) {
    const disk = await SmallDisk.mount(DISK_MB);
    const folder = await moveLog(plant, disk);
    try {
      const load = traffic();
      await during(1);
      await disk.fill();
      await plant.database.query(MUCH_LOG).catch(() => undefined);
      await eventually(() => !plant.postgres.isRunning, PATIENCE_MS);
      await during(SECONDS_AWAY);
      await disk.clear();
      const log = await plant.postgres.log();
      await plant.postgres.start();
      await during(1);
      await load.stop();
      const { ledger } = clients;
      expect('Postgres stopped for want of space', log.includes('PANIC') && log.includes('No space left on device'));
      note(`${ledger.repeatedSends.length} sends were refused while it was away, and accepted after`);
      expect('every hit was answered', ledger.unansweredHits === 0);
      await plant.database.query('drop table if exists ballast');
    } finally {
      await disk.clear();
      if (plant.postgres.isRunning) await plant.postgres.stop('fast');
      const log = join(plant.postgres.dataDirectory, 'pg_wal');
      await rm(log);
      await cp(folder, log, { recursive: true, preserveTimestamps: true });
      await ownAs(plant, log);
      await plant.postgres.start();
      await disk.remove();
    }
  },
};

/** While Postgres is stopped, as an operator would. Resolves with the folder of the log. */
async function moveLog(plant: Plant, disk: SmallDisk): Promise<string> {
  const log = join(plant.postgres.dataDirectory, 'pg_wal');
  const folder = join(disk.path, 'pg_wal');
  await plant.postgres.stop('fast');
  await cp(log, folder, { recursive: true });
  await rm(log, { recursive: true });
  await symlink(folder, log);
  await ownAs(plant, folder);
  await plant.postgres.start();
  return folder;
}

/** Gives a folder to the account of the server. */
async function ownAs(plant: Plant, folder: string): Promise<void> {
  const { uid, gid } = await stat(plant.postgres.dataDirectory);
  const names = await readdir(folder, { recursive: true });
  for (const path of [folder, ...names.map((name) => join(folder, name))]) await chown(path, uid, gid);
}
