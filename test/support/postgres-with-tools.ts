import { execFile, spawn } from 'node:child_process';
import { existsSync, readdirSync } from 'node:fs';
import { chmod, chown, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { promisify } from 'node:util';
import { Client } from 'pg';
import { runsAsRoot, unprivilegedAccount } from '../../src/embedded/unix-account.js';
import { freePort } from '../../src/embedded/free-port.js';
import { endWithRun } from './clean-up-if-killed.js';
import { endChild } from './end-child.js';
import { eventually } from './eventually.js';

const run = promisify(execFile);
const PROGRAMS = ['initdb', 'postgres', 'pg_dump', 'pg_restore'];

/** A folder with a server and the tools of the same version; the embedded server comes without tools. */
export function findPostgresTools(): string | undefined {
  const installed = '/usr/lib/postgresql';
  const versions = existsSync(installed) ? readdirSync(installed).sort().reverse() : [];
  const folders = [
    ...versions.map((version) => join(installed, version, 'bin')),
    ...(process.env['PATH'] ?? '').split(delimiter),
  ];
  return folders.find((folder) => PROGRAMS.every((program) => existsSync(join(folder, program))));
}

export interface PostgresWithTools {
  /** Creates a database and returns its URL. */
  createDatabase(name: string): Promise<string>;
  stop(): Promise<void>;
}

/** Starts a separate server of the version that the tools in the folder have. */
export async function startPostgresWithTools(folder: string): Promise<PostgresWithTools> {
  const account = runsAsRoot() ? unprivilegedAccount() : undefined;
  const directory = await mkdtemp(join(tmpdir(), 'mailbeacon-postgres-'));
  await chmod(directory, 0o755);
  if (account) await chown(directory, account.uid, account.gid);
  const data = join(directory, 'data');
  const options = { cwd: '/', env: { PATH: process.env['PATH'], LC_ALL: 'C' }, ...account };
  await run(
    join(folder, 'initdb'),
    ['-D', data, '-U', 'mailbeacon', '--auth=trust', '--encoding=UTF8', '--no-sync'],
    options,
  );
  const port = await freePort();
  const settings = [`port=${port}`, 'listen_addresses=127.0.0.1', 'unix_socket_directories=', 'fsync=off'];
  const server = spawn(join(folder, 'postgres'), ['-D', data, ...settings.flatMap((setting) => ['-c', setting])], {
    ...options,
    stdio: 'ignore',
  });
  endWithRun(server);
  const address = (database: string): string => `postgres://mailbeacon@127.0.0.1:${port}/${database}`;
  const query = async (sql: string): Promise<void> => {
    const client = new Client({ connectionString: address('postgres') });
    await client.connect();
    await client.query(sql).finally(() => client.end());
  };
  await eventually(
    () =>
      query('select 1').then(
        () => true,
        () => false,
      ),
    30_000,
  );
  return {
    createDatabase: async (name) => {
      await query(`create database ${name}`);
      return address(name);
    },
    stop: async () => {
      await endChild(server, 'SIGINT');
      await rm(directory, { recursive: true, force: true });
    },
  };
}
