import { spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { createServer } from 'node:net';
import { Client } from 'pg';
import { startPostgres } from '../../src/embedded/postgres.js';
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
  const home = await prepareServiceHome(directory, 'postgres');
  const server = await startPostgres({ home, logFile: join(directory, 'postgres.log') });
  started.push(server);
  return server;
}

describe('startPostgres', () => {
  it('keeps data and port from start to start, and data also after a crash', async () => {
    await inTemporaryDirectory(async (directory) => {
      const first = await start(directory);
      await query(first.url, 'create table kept as select 42 as answer');
      await first.stop();
      expect(isRunning(first.pid)).toBe(false);

      const second = await start(directory);
      expect(second.url).toBe(first.url);
      await query(second.url, 'update kept set answer = answer + 1');
      await stopProcess(second.pid, 5_000, ['SIGKILL']);

      const third = await start(directory);
      expect(await query(third.url, 'select answer from kept')).toEqual([{ answer: 43 }]);
      await third.stop();
    });
  });

  it('names the remedy for the data of another PostgreSQL version', async () => {
    await inTemporaryDirectory(async (directory) => {
      await (await start(directory)).stop();
      const data = join(directory, 'postgres', 'data');
      await writeFile(join(data, 'PG_VERSION'), '99\n');
      await expect(start(directory)).rejects.toThrow(`rename ${data} to start with an empty database`);
    });
  });

  it('reuses a server that still runs', async () => {
    await inTemporaryDirectory(async (directory) => {
      const [first, second] = [await start(directory), await start(directory)];
      expect(second).toMatchObject({ pid: first.pid, url: first.url });
      await first.stop();
    });
  });

  it('ends after an abort although the server is not ready yet, and leaves none running', async () => {
    await inTemporaryDirectory(async (directory) => {
      const home = await prepareServiceHome(directory, 'postgres');
      const abort = new AbortController();
      const starting = startPostgres({
        ...{ home, logFile: join(directory, 'postgres.log'), signal: abort.signal },
        settings: { pre_auth_delay: '60' },
      });
      const lockFile = join(directory, 'postgres', 'data', 'postmaster.pid');
      const pid = await eventually(async () => {
        const lock = await readFile(lockFile, 'utf8').catch(() => '');
        return lock.includes('ready') && parseInt(lock);
      });
      abort.abort(new Error('Ctrl-C'));
      await expect(starting).rejects.toThrow('Ctrl-C');
      expect(isRunning(pid)).toBe(false);
      await (await start(directory)).stop();
    });
  });

  it('ends after an abort while a server that an earlier process left does not respond', async () => {
    await inTemporaryDirectory(async (directory) => {
      const first = await start(directory);
      process.kill(first.pid, 'SIGSTOP');
      try {
        const home = await prepareServiceHome(directory, 'postgres');
        const signal = AbortSignal.abort(new Error('Ctrl-C'));
        const second = startPostgres({ home, logFile: join(directory, 'postgres.log'), signal });
        await expect(second).rejects.toThrow('Ctrl-C');
      } finally {
        process.kill(first.pid, 'SIGCONT');
      }
      await first.stop();
    });
  });

  // As after a restart of the machine.
  (existsSync('/proc/self/cwd') ? it : it.skip)(
    'starts although another Postgres has the ID of a killed one',
    async () => {
      const other = spawn(process.execPath, ['--eval', 'setInterval(() => undefined, 1e9)', '/usr/bin/postgres'], {
        cwd: '/',
        stdio: 'ignore',
      });
      try {
        await inTemporaryDirectory(async (directory) => {
          const first = await start(directory);
          const lockFile = join(directory, 'postgres', 'data', 'postmaster.pid');
          const lock = await readFile(lockFile, 'utf8');
          await stopProcess(first.pid, 5_000, ['SIGKILL']);
          await writeFile(lockFile, lock.replace(/^\d+/, String(other.pid)));
          const second = await start(directory);
          expect(second.pid).not.toBe(other.pid);
          await second.stop();
        });
      } finally {
        other.kill('SIGKILL');
      }
    },
  );

  it('uses another port if a program has taken its own in the meantime', async () => {
    await inTemporaryDirectory(async (directory) => {
      const first = await start(directory);
      await first.stop();
      const intruder = createServer();
      await new Promise<void>((resolve) => intruder.listen(first.port, '127.0.0.1', resolve));
      const second = await start(directory);
      expect(second.port).not.toBe(first.port);
      expect(await query(second.url, 'select 1 as one')).toEqual([{ one: 1 }]);
      await second.stop();
      await new Promise((resolve) => intruder.close(resolve));
    });
  });

  it('writes durably and listens on loopback only', async () => {
    await inTemporaryDirectory(async (directory) => {
      const { url, stop } = await start(directory);
      const settings = ['fsync', 'synchronous_commit', 'full_page_writes', 'listen_addresses', 'server_encoding'];
      const sql = 'select name, setting from pg_settings where name = any($1) order by name';
      expect(await query(url, sql, [settings])).toEqual([
        { name: 'fsync', setting: 'on' },
        { name: 'full_page_writes', setting: 'on' },
        { name: 'listen_addresses', setting: '127.0.0.1' },
        { name: 'server_encoding', setting: 'UTF8' },
        { name: 'synchronous_commit', setting: 'on' },
      ]);
      const wrongPassword = url.replace(/:[^:@]+@/, ':wrong@');
      await expect(query(wrongPassword, 'select 1')).rejects.toThrow(/password authentication failed/);
      await stop();
    });
  });
});

async function query(url: string, sql: string, values: unknown[] = []): Promise<unknown[]> {
  const client = new Client({ connectionString: url });
  client.on('error', () => undefined);
  await client.connect();
  try {
    return (await client.query<Record<string, unknown>>(sql, values)).rows;
  } finally {
    await client.end();
  }
}
