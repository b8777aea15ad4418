import { mkdir, readdir, readFile, rm, rmdir, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { runsAsRoot, unprivilegedAccount } from '../../src/embedded/unix-account.js';
import { findEmbeddedServices, startEmbeddedServices } from '../../src/embedded/embedded-services.js';
import { AlreadyRunningError, lockInstance } from '../../src/embedded/instance-lock.js';
import { rawRedisCommand } from '../../src/embedded/raw-redis-command.js';
import { prepareServiceHome, SYSTEM_DIRECTORY } from '../../src/embedded/service-directory.js';
import { SmallDisk } from '../faults/testbed/small-disk.js';
import { inTemporaryDirectory } from '../support/temporary-directory.js';

describe('startEmbeddedServices', () => {
  it('starts the required services, publishes their addresses, and stops all of them', async () => {
    await inTemporaryDirectory(async (directory) => {
      expect(await findEmbeddedServices(directory)).toBeUndefined();
      const services = await startEmbeddedServices({ postgres: false, redis: true, inbox: false }, directory);
      expect(services.databaseUrl).toBeUndefined();
      expect(await findEmbeddedServices(directory)).toEqual({ redisUrl: services.redisUrl });
      const { mode } = await stat(join(directory, '.mailbeacon', 'services.json'));
      expect(mode & 0o777).toBe(0o600);

      await services.recordAddress('http://localhost:3000');
      const second = startEmbeddedServices({ postgres: false, redis: true, inbox: false }, directory);
      await expect(second).rejects.toThrow(/already runs in this folder at http:\/\/localhost:3000/);

      await services.stop();
      expect(await findEmbeddedServices(directory)).toBeUndefined();
      expect(await readdir(join(directory, '.mailbeacon'))).not.toContain('lock');
    });
  });

  it('leaves no service running if their addresses cannot be stored', async () => {
    await inTemporaryDirectory(async (directory) => {
      const needs = { postgres: false, redis: true, inbox: false };
      const state = join(directory, '.mailbeacon');
      await mkdir(join(state, 'services.json', 'in the way'), { recursive: true });
      await expect(startEmbeddedServices(needs, directory)).rejects.toThrow(
        /services\.json cannot be written \(E\w+\)/,
      );
      const { port, password } = JSON.parse(await readFile(join(state, 'redis', 'endpoint.json'), 'utf8')) as {
        port: number;
        password: string;
      };
      expect(await rawRedisCommand({ port, password }, 'PING')).toBeUndefined();
      expect(await readdir(state)).not.toContain('lock');
    });
  });

  (SmallDisk.missingRequirement() ? it.skip : it)('says that the disk is full, and leaves no lock', async () => {
    const disk = await SmallDisk.mount(1);
    try {
      const state = join(disk.path, '.mailbeacon');
      await mkdir(state);
      await disk.fill();
      await expect(startEmbeddedServices({ postgres: false, redis: true, inbox: false }, disk.path)).rejects.toThrow(
        `The disk of ${state} is full: free some space`,
      );
      expect(await readdir(state)).toEqual([]);
    } finally {
      await disk.remove();
    }
  });

  it('runs side by side in two folders', async () => {
    await inTemporaryDirectory((one) =>
      inTemporaryDirectory(async (other) => {
        const needs = { postgres: false, redis: true, inbox: false };
        const [first, second] = await Promise.all([one, other].map((folder) => startEmbeddedServices(needs, folder)));
        expect(first?.redisUrl).not.toBe(second?.redisUrl);
        await Promise.all([first?.stop(), second?.stop()]);
      }),
    );
  });
});

describe('lockInstance', () => {
  it('is acquired by exactly one of many processes, even if a dead process left its lock', async () => {
    await inTemporaryDirectory(async (directory) => {
      await writeFile(join(directory, 'lock'), JSON.stringify({ pid: process.pid, start: 'of an earlier process' }));
      const outcomes = await Promise.allSettled(Array.from({ length: 8 }, () => lockInstance(directory)));
      const losers = outcomes.filter((outcome) => outcome.status === 'rejected');
      expect(losers).toHaveLength(7);
      for (const { reason } of losers) expect(reason).toBeInstanceOf(AlreadyRunningError);
      expect(await readdir(directory)).toEqual(['lock']);
    });
  });

  it('can be acquired again once it is released', async () => {
    await inTemporaryDirectory(async (directory) => {
      await (await lockInstance(directory)).release();
      await expect(lockInstance(directory)).resolves.toBeDefined();
    });
  });
});

describe('prepareServiceHome', () => {
  (runsAsRoot() ? it : it.skip)('gives a server of root a home that its account can reach, and keeps it', async () => {
    await inTemporaryDirectory(async (directory) => {
      const closed = join(directory, 'closed');
      await mkdir(closed, { mode: 0o700 });
      const home = await prepareServiceHome(join(closed, 'state'), 'redis');
      expect(home.account).toEqual(unprivilegedAccount());
      expect(home.path.startsWith(closed)).toBe(false);
      await writeFile(join(home.path, 'data'), 'kept');
      expect(await prepareServiceHome(join(closed, 'state'), 'redis')).toEqual(home);
      expect(await readdir(home.path)).toEqual(['data']);
      await rm(home.path, { recursive: true });
      await rmdir(SYSTEM_DIRECTORY).catch(() => undefined); // another project's homes may be in it
    });
  });
});
