import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import type { ServiceProcess } from '../testbed/service-process.js';
import { waitSeconds } from '../actions.js';
import type { Scenario } from '../scenario.js';

const LIBRARY = findLibrary();
const SKEW_SECONDS = 600;

export const skewedClocks: Scenario = {
  id: 'F28',
  fault: 'one process of each role is 10 min ahead, then 10 min behind',
  withinMs: 90_000,
  missingRequirement: () => (LIBRARY === undefined ? 'libfaketime is missing' : undefined),
  async inject({ testbed, startTraffic, expect, note }) {
    const { received } = testbed.receiver;
    const first = received.length;
    const load = startTraffic();
    const skewed = [testbed.apis[0]!, testbed.edges[0]!, testbed.workers[0]!, testbed.flushers[0]!];
    for (const skew of [SKEW_SECONDS, -SKEW_SECONDS]) {
      await Promise.all(skewed.map((service) => restartWith(service, fakeTime(skew))));
      await waitSeconds(8);
    }
    await load.stop();
    await Promise.all(skewed.map((service) => restartWith(service, {})));
    const skews = received
      .slice(first)
      .map(({ at, headers }) => Math.abs(Number(headers['webhook-timestamp']) - (performance.timeOrigin + at) / 1_000));
    note(`webhook timestamps were at most ${Math.round(Math.max(...skews))} s wrong`);
    expect('a worker was really ahead', /"aheadMs":[56]\d{5}\b/.test(testbed.workers[0]!.log.end));
    expect('webhooks had the right time', skews.length > 0 && Math.max(...skews) < SKEW_SECONDS / 2);
  },
};

const MONTHS_SECONDS = 100 * 86_400;

export const clocksMonthsOff: Scenario = {
  id: 'F43',
  fault:
    'one worker is 100 days ahead, then 100 days behind, while one month of events and a day of dead letters are kept',
  withinMs: 90_000,
  missingRequirement: () => (LIBRARY === undefined ? 'libfaketime is missing' : undefined),
  async inject({ testbed, startTraffic, expect, note }) {
    const [skewedWorker] = testbed.workers as [ServiceProcess, ...ServiceProcess[]];
    const others = testbed.workers.slice(1);
    await Promise.all(others.map((service) => service.terminate()));
    await testbed.database.query(
      `insert into event_dead_letters (id, stream_entry_id, payload, reason) values (gen_random_uuid(), 'F43', '', 'malformed')`,
    );
    const load = startTraffic();
    for (const skew of [MONTHS_SECONDS, -MONTHS_SECONDS]) {
      await restartWith(skewedWorker, {
        ...fakeTime(skew),
        EVENT_RETENTION_MONTHS: '1',
        DEAD_LETTER_RETENTION_DAYS: '1',
      });
      await waitSeconds(8);
    }
    await load.stop();
    await restartWith(skewedWorker, {});
    await Promise.all(others.map((service) => service.start()));
    const [row] = await testbed.database.query<{ events: number; letters: number }>(
      `select (select count(*)::int from events) as events,
              (select count(*)::int from event_dead_letters where stream_entry_id = 'F43') as letters`,
    );
    await testbed.database.query(`delete from event_dead_letters where stream_entry_id = 'F43'`);
    note(`${row!.events} events and the dead letter still existed afterwards`);
    expect('nothing of this month was deleted', row!.events > 0 && row!.letters === 1);
  },
};

async function restartWith(service: ServiceProcess, environment: Readonly<Record<string, string>>): Promise<void> {
  await service.terminate();
  await service.start(environment);
}

/** Only wall clocks are wrong: timers use the monotonic clock. */
function fakeTime(seconds: number): Record<string, string> {
  const offset = `${seconds > 0 ? '+' : ''}${seconds}`;
  return { LD_PRELOAD: LIBRARY!, FAKETIME: offset, FAKETIME_DONT_FAKE_MONOTONIC: '1', FAKETIME_NO_CACHE: '1' };
}

/** Debian installs it in /usr/lib/<architecture>/faketime, others in /usr/lib/faketime. */
function findLibrary(): string | undefined {
  const folders = ['/usr/lib', '/usr/local/lib', '/usr/lib64'].filter((folder) => existsSync(folder));
  return folders
    .flatMap((folder) => [folder, ...readdirSync(folder).map((name) => join(folder, name))])
    .flatMap((folder) => [join(folder, 'libfaketime.so.1'), join(folder, 'faketime', 'libfaketime.so.1')])
    .find((file) => existsSync(file));
}
