import { spawn, type ChildProcess } from 'node:child_process';
import { existsSync } from 'node:fs';
import { chmod, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { Client } from 'pg';
import { runsAsRoot } from '../../src/embedded/unix-account.js';
import { freePort } from '../../src/embedded/free-port.js';
import { endWithRun } from './clean-up-if-killed.js';
import { endChild } from './end-child.js';
import { eventually } from './eventually.js';

const INI = 'pgbouncer.ini';

/** Path of the program, if this machine has it. */
export function findPgBouncer(): string | undefined {
  const folders = [...(process.env['PATH'] ?? '').split(delimiter), '/usr/sbin', '/usr/local/sbin'];
  return folders.map((folder) => join(folder, 'pgbouncer')).find((file) => existsSync(file));
}

/** A PgBouncer with default settings except for the mode. It maps every database name to the database of the URL. */
export class PgBouncer {
  private child: ChildProcess | undefined;

  private constructor(
    private readonly program: string,
    private readonly directory: string,
    readonly url: string,
  ) {}

  static async before(database: string, mode: 'session' | 'transaction', sessions = 20): Promise<PgBouncer> {
    const program = findPgBouncer();
    if (program === undefined) throw new Error('pgbouncer is missing');
    const directory = await mkdtemp(join(tmpdir(), 'mailbeacon-pgbouncer-'));
    await chmod(directory, 0o755);
    const { hostname, port: serverPort, username, password, pathname } = new URL(database);
    const port = await freePort();
    const target = `host=${hostname} port=${serverPort} dbname=${pathname.slice(1)} user=${username} password=${password}`;
    const settings = {
      listen_addr: '127.0.0.1',
      listen_port: port,
      unix_socket_dir: '',
      auth_type: 'any',
      pool_mode: mode,
      default_pool_size: sessions,
      max_client_conn: 400,
      ...(runsAsRoot() && { user: 'nobody' }),
    };
    const lines = Object.entries(settings).map(([name, value]) => `${name} = ${value}`);
    await writeFile(join(directory, INI), `[databases]\nmailbeacon = ${target}\n[pgbouncer]\n${lines.join('\n')}\n`);
    const bouncer = new PgBouncer(program, directory, `postgres://mailbeacon@127.0.0.1:${port}/mailbeacon`);
    await bouncer.start().catch((error: unknown) => bouncer.stop().then(() => Promise.reject(error)));
    return bouncer;
  }

  async start(): Promise<void> {
    this.child = spawn(this.program, ['-q', join(this.directory, INI)], { stdio: 'ignore' });
    endWithRun(this.child);
    await eventually(() => acceptsConnections(this.url), 20_000);
  }

  /** Ends it as kill -9 does: its client and server connections break. */
  async kill(): Promise<void> {
    const { child } = this;
    this.child = undefined;
    if (child) await endChild(child, 'SIGKILL');
  }

  async stop(): Promise<void> {
    await this.kill();
    await rm(this.directory, { recursive: true, force: true });
  }
}

async function acceptsConnections(url: string): Promise<boolean> {
  const client = new Client({ connectionString: url });
  client.on('error', () => undefined);
  try {
    await client.connect();
    await client.query('select 1');
    return true;
  } catch {
    return false;
  } finally {
    await client.end().catch(() => undefined);
  }
}
