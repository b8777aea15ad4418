import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fetch } from 'undici';
import { clickhouseEngine } from '../../scripts/clickhouse-engine.mjs';

/** ClickHouse's engine as a process, with statistics of the table of events. */
export class Engine {
  #url;

  static async start(services) {
    const engine = new Engine();
    const data = await mkdtemp(join(tmpdir(), 'mailbeacon-clickhouse-'));
    services.closeFirst(() => rm(data, { recursive: true, force: true }));
    const program = services.run(['test/support/clickhouse-server.mjs', clickhouseEngine(), data, '0'], {});
    await program.prints(/^port \d+/m);
    engine.#url = `http://127.0.0.1:${/^port (\d+)/m.exec(program.output)[1]}/events`;
    engine.pid = program.pid;
    return engine;
  }

  get url() {
    return this.#url;
  }

  async query(query) {
    const response = await fetch(this.#url, { method: 'POST', body: query });
    const text = await response.text();
    if (!response.ok) throw new Error(text);
    return text
      .split('\n')
      .filter(Boolean)
      .map((line) => JSON.parse(line));
  }

  merge() {
    return this.query('optimize table mailbeacon_events final');
  }

  async events() {
    const [row] = await this.query('select uniqExact(id) as events from mailbeacon_events');
    return Number(row.events);
  }

  async size() {
    const [row] = await this.query(`select sum(bytes_on_disk) as bytes, sum(rows) as rows, count() as parts
      from system.parts where table = 'mailbeacon_events' and active`);
    return Object.fromEntries(Object.entries(row).map(([name, value]) => [name, Number(value)]));
  }
}
