import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { endChild } from './end-child.js';

/** ClickHouse's engine in a process of its own, with a folder that outlives it. */
export class ClickHouse {
  private readonly data = mkdtempSync(join(tmpdir(), 'mailbeacon-clickhouse-'));
  private child: ChildProcess | undefined;
  private port = 0;

  /** @param engine the folder of the engine's package */
  constructor(private readonly engine: string) {}

  get url(): string {
    return `http://127.0.0.1:${this.port}/events`;
  }

  /** At the same port as before. */
  async start(): Promise<void> {
    const server = join(import.meta.dirname, 'clickhouse-server.mjs');
    const parameters = [server, this.engine, this.data, String(this.port)];
    this.child = spawn(process.execPath, parameters, { stdio: ['ignore', 'pipe', 'inherit', 'ipc'] });
    const [line] = (await once(this.child.stdout!, 'data')) as [Buffer];
    this.port = Number(/^port (\d+)/m.exec(line.toString())![1]);
  }

  /** kill -9 */
  async stop(): Promise<void> {
    if (this.child) await endChild(this.child, 'SIGKILL');
    this.child = undefined;
  }

  /** @throws when the engine refuses the query */
  async query<Row>(query: string): Promise<Row[]> {
    const response = await fetch(this.url, { method: 'POST', body: query });
    const text = await response.text();
    if (!response.ok) throw new Error(text);
    return text
      .split('\n')
      .filter(Boolean)
      .map((line) => JSON.parse(line) as Row);
  }

  async remove(): Promise<void> {
    await this.stop();
    rmSync(this.data, { recursive: true, force: true });
  }
}
