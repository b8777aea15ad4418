import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { Redis } from 'ioredis';
import { findRedisBinary } from '../../src/embedded/redis-binary.js';
import { startRedis } from '../../src/embedded/redis.js';
import type { RunningServer } from '../../src/embedded/running-server.js';
import { isRunning, stopProcess } from '../../src/embedded/server-process.js';
import { prepareServiceHome } from '../../src/embedded/service-directory.js';
import { eventually } from '../support/eventually.js';
import { inTemporaryDirectory } from '../support/temporary-directory.js';

const started: RunningServer[] = [];
afterEach(async () => {
  await Promise.all(started.splice(0).map((server) => server.stop()));
});

async function start(directory: string): Promise<RunningServer> {
  const executable = findRedisBinary()!;
  const home = await prepareServiceHome(directory, 'redis');
  const server = await startRedis({ executable, home, logFile: join(directory, 'redis.log') });
  started.push(server);
  return server;
}

describe('startRedis', () => {
  it('keeps data and address from start to start, and data also after a crash', async () => {
    await inTemporaryDirectory(async (directory) => {
      const first = await start(directory);
      await ask(first.url, (redis) => redis.set('kept', '1'));
      await first.stop();
      expect(isRunning(first.pid)).toBe(false);

      const second = await start(directory);
      expect(second.url).toBe(first.url);
      expect(await ask(second.url, (redis) => redis.incr('kept'))).toBe(2);
      await stopProcess(second.pid, 5_000, ['SIGKILL']);

      const third = await start(directory);
      expect(await ask(third.url, (redis) => redis.get('kept'))).toBe('2');
      await third.stop();
    });
  });

  it('reuses a server that still runs', async () => {
    await inTemporaryDirectory(async (directory) => {
      const [first, second] = [await start(directory), await start(directory)];
      expect(second).toMatchObject({ pid: first.pid, url: first.url });
      await first.stop();
    });
  });

  it('ends after an abort although the server does not respond, and leaves none running', async () => {
    await inTemporaryDirectory(async (directory) => {
      const silent = join(directory, 'silent-server');
      await writeFile(silent, '#!/bin/sh\necho $$ > pid\nexec sleep 600\n', { mode: 0o755 });
      const home = await prepareServiceHome(directory, 'redis');
      const abort = new AbortController();
      const logFile = join(directory, 'redis.log');
      const starting = startRedis({ executable: silent, home, logFile, signal: abort.signal });
      const pid = await eventually(
        async () => Number(await readFile(join(directory, 'redis', 'pid'), 'utf8').catch(() => '')) || undefined,
      );
      abort.abort(new Error('Ctrl-C'));
      await expect(starting).rejects.toThrow('Ctrl-C');
      expect(isRunning(pid)).toBe(false);
    });
  });

  it('starts no second server on the files of one that does not respond', async () => {
    await inTemporaryDirectory(async (directory) => {
      const first = await start(directory);
      process.kill(first.pid, 'SIGSTOP');
      try {
        await expect(start(directory)).rejects.toThrow(`Redis (process ${first.pid}) uses`);
      } finally {
        process.kill(first.pid, 'SIGCONT');
      }
      expect(await start(directory)).toMatchObject({ pid: first.pid, url: first.url });
      await first.stop();
    });
  });

  it('starts although another process has the ID of a killed server', async () => {
    await inTemporaryDirectory(async (directory) => {
      const first = await start(directory);
      await stopProcess(first.pid, 5_000, ['SIGKILL']);
      await writeFile(join(directory, 'redis', 'redis.pid'), `${process.pid}\n`);
      const second = await start(directory);
      expect(second.url).toBe(first.url);
      await second.stop();
    });
  });

  it('never evicts, appends every write to disk and requires the password', async () => {
    await inTemporaryDirectory(async (directory) => {
      const { url, stop } = await start(directory);
      const settings = await ask(url, (redis) => redis.config('GET', 'maxmemory-policy', 'append*', 'bind'));
      const pairs = settings as string[];
      const value = (name: string): string | undefined => pairs[pairs.indexOf(name) + 1];
      expect(value('maxmemory-policy')).toBe('noeviction');
      expect(value('appendonly')).toBe('yes');
      expect(value('appendfsync')).toBe('no'); // with `everysec`, a killed process loses writes if the disk is slow
      expect(value('bind')).toBe('127.0.0.1');
      await expect(ask(url.replace(/:[^:@]+@/, '@'), (redis) => redis.get('kept'))).rejects.toThrow(/NOAUTH/);
      await stop();
    });
  });
});

async function ask<Result>(url: string, question: (redis: Redis) => Promise<Result>): Promise<Result> {
  const redis = new Redis(url, { enableReadyCheck: false });
  redis.on('error', () => undefined);
  return question(redis).finally(() => redis.disconnect());
}
