import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { endChild } from '../../support/end-child.js';
import { bundledProgram, type BundledProgram } from '../../support/bundled-program.js';
import { eventually } from '../../support/eventually.js';
import { EventPipeline } from './event-pipeline.js';
import { clicked, countersAfter, opened, readCounters, sendMail } from './sent-mail.js';

const KILLS = 20;
const FLUSHERS = 3;

let pipeline: EventPipeline;
let program: BundledProgram;
const children = new Set<ChildProcess>();

beforeAll(async () => {
  program = await bundledProgram(join(import.meta.dirname, 'flusher-process.ts'));
  pipeline = await EventPipeline.open();
});

afterAll(async () => {
  for (const child of children) child.kill('SIGKILL');
  await pipeline?.close();
  await program?.remove();
});

async function startFlusher(name: string): Promise<ChildProcess> {
  const child = spawn(process.execPath, [program.file, pipeline.redisUrl, pipeline.databaseUrl, name], {
    stdio: ['ignore', 'pipe', 'ignore'],
  });
  children.add(child);
  await once(child.stdout!, 'data');
  return child;
}

/** Starts a flusher and kills it repeatedly, at random times. */
async function killRepeatedly(name: string, kills: number): Promise<void> {
  for (let kill = 0; kill < kills; kill++) {
    const child = await startFlusher(name);
    await new Promise((resolve) => setTimeout(resolve, Math.random() * 250));
    await endChild(child, 'SIGKILL');
    children.delete(child);
  }
}

it(`T05: stays exact when ${FLUSHERS} flushers are killed ${KILLS} times while events arrive`, async () => {
  const { emails } = await sendMail(pipeline.database, [1, 1, 1, 1]);
  let pairs = 0;
  let killing = true;
  const appending = (async () => {
    while (killing) {
      const { trackingId } = emails[pairs % emails.length]!;
      const events = Array.from({ length: 5 }, () => [opened(trackingId), clicked(trackingId, pairs % 3)]).flat();
      await pipeline.append(...events);
      pairs += 5;
      await new Promise((resolve) => setTimeout(resolve, 2));
    }
  })();
  const names = Array.from({ length: FLUSHERS }, (_, index) => `flusher-${index}`);
  await Promise.all(names.map((name, index) => killRepeatedly(name, Math.ceil((KILLS - index) / FLUSHERS))));
  killing = false;
  await appending;
  // Each restarts under its name and gets its pending entries again; another test covers claims of others' entries.
  for (const name of names) pipeline.startFlusher(pipeline.consumer(name));
  await eventually(() => pipeline.isDrained(), 30_000);
  expect(await readCounters(pipeline.database)).toEqual(countersAfter(pairs, pairs));
  expect(pairs).toBeGreaterThan(100);
});
