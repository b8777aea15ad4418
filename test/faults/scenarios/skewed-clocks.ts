import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import type { ServiceProcess } from '../plant/service-process.js';
import { during } from '../moves.js';
import type { Scenario } from '../scenario.js';

const LIBRARY = findLibrary();
const SKEW_SECONDS = 600;

export const skewedClocks: Scenario = {
  id: 'F28',
  fault: 'one process of each role is 10 min ahead, then 10 min behind',
  withinMs: 90_000,
  missing: () => (LIBRARY === undefined ? 'libfaketime is missing' : undefined),
  async inject({ plant, traffic, expect, note }) {
    const load = traffic();
    const strangers = [plant.apis[0]!, plant.edges[0]!, plant.workers[0]!, plant.flushers[0]!];
    for (const skew of [SKEW_SECONDS, -SKEW_SECONDS]) {
      await Promise.all(strangers.map((service) => restartWith(service, fakeTime(skew))));
      await during(8);
    }
    await load.stop();
    await Promise.all(strangers.map((service) => restartWith(service, {})));
    const skews = plant.receiver.received.map(({ headers }) => Number(headers['webhook-timestamp']));
    const now = Date.now() / 1_000;
    const furthest = Math.round(Math.max(...skews.map((timestamp) => timestamp - now)));
    note(`webhook timestamps were up to ${furthest} s ahead: they come from the worker's clock`);
    expect('a worker was really ahead', furthest > SKEW_SECONDS / 2);
  },
};

async function restartWith(service: ServiceProcess, environment: Readonly<Record<string, string>>): Promise<void> {
  await service.terminate();
  await service.start(environment);
}

/** Wall clocks alone go wrong: timers run on the monotonic one. */
function fakeTime(seconds: number): Record<string, string> {
  const offset = `${seconds > 0 ? '+' : ''}${seconds}`;
  return { LD_PRELOAD: LIBRARY!, FAKETIME: offset, FAKETIME_DONT_FAKE_MONOTONIC: '1', FAKETIME_NO_CACHE: '1' };
}

/** Debian's place is /usr/lib/<architecture>/faketime, others' /usr/lib/faketime. */
function findLibrary(): string | undefined {
  const folders = ['/usr/lib', '/usr/local/lib', '/usr/lib64'].filter((folder) => existsSync(folder));
  return folders
    .flatMap((folder) => [folder, ...readdirSync(folder).map((name) => join(folder, name))])
    .flatMap((folder) => [join(folder, 'libfaketime.so.1'), join(folder, 'faketime', 'libfaketime.so.1')])
    .find((file) => existsSync(file));
}
