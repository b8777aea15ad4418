import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { eventually } from '../../support/eventually.js';
import { disconnect, waitSeconds, reconnect } from '../actions.js';
import { SmallDisk } from '../testbed/small-disk.js';
import type { ServiceProcess } from '../testbed/service-process.js';
import type { Scenario, ScenarioContext } from '../scenario.js';

const SECONDS = 6;
/** Enough hits to fill the last page of an open segment, which has room on a full disk. */
const RATES = { sendsPerSecond: 5, hitsPerSecond: 120 };
/** A spool does not retry a failing disk for half a second. */
const NOTICES_ROOM_MS = 1_000;
const DRAINED_WITHIN_MS = 60_000;

export const spoolDiskFull: Scenario = {
  id: 'F29-spool',
  fault: `Redis is out of reach of the tracking hosts, and the disk of their spools is full for ${SECONDS} s`,
  withinMs: 90_000,
  missingRequirement: () => SmallDisk.missingRequirement(),
  async inject({ testbed, startTraffic, clients, expect, note }) {
    const { edges } = testbed;
    const disk = await SmallDisk.mount(16);
    try {
      for (const edge of edges) await restart(edge, { SPOOL_DIRECTORY: await disk.folder(edge.name) });
      const load = startTraffic(RATES);
      await waitSeconds(1);
      await disconnect(edges, 'redis');
      await waitSeconds(2);
      const fullFrom = Date.now();
      await disk.fill();
      await waitSeconds(SECONDS);
      const files = await segmentsOn(disk, edges);
      expect(
        `no file is left for events that the disk refused (${files.length} files)`,
        files.length <= edges.length * 2,
      );
      await disk.clear();
      const fullUntil = Date.now() + NOTICES_ROOM_MS;
      await waitSeconds(2);
      await reconnect(edges, 'redis');
      await waitSeconds(1);
      await load.stop();
      await eventually(async () => (await segmentsOn(disk, edges)).length === 0, DRAINED_WITHIN_MS);
      const { history } = clients;
      const between = history.acknowledgedEvents.filter((id) => isBetween(id, fullFrom, fullUntil));
      for (const id of between) history.destroyedEvents.add(id);
      note(`${between.length} opens and clicks got a response while neither Redis nor the disk accepted events`);
      expect('every hit got a response', history.hitsWithoutResponse === 0);
    } finally {
      await disk.clear();
      for (const edge of edges) await restart(edge);
      await disk.remove();
    }
  },
  async verify({ testbed, clients, expect, note }) {
    const lost = await missing(testbed, [...clients.history.destroyedEvents]);
    note(`${lost} of them are lost`);
    expect('the disk was full', lost > 0);
  },
};

async function restart(edge: ServiceProcess, more: Readonly<Record<string, string>> = {}): Promise<void> {
  await edge.terminate();
  await edge.start(more);
}

async function segmentsOn(disk: SmallDisk, edges: readonly ServiceProcess[]): Promise<string[]> {
  const lists = await Promise.all(edges.map(({ name }) => readdir(join(disk.path, name))));
  return lists.flat();
}

/** Compares the time in the ID (UUIDv7), which is that of the edge. */
function isBetween(id: string, from: number, until: number): boolean {
  const time = Number.parseInt(id.replace('-', '').slice(0, 12), 16);
  return time >= from && time <= until;
}

async function missing({ database }: ScenarioContext['testbed'], ids: readonly string[]): Promise<number> {
  const rows = await database.query('select from events where id = any($1::uuid[])', [ids]);
  return ids.length - rows.length;
}
