import { waitSeconds } from '../actions.js';
import type { Scenario } from '../scenario.js';

export const extraProcesses: Scenario = {
  id: 'F17',
  fault: 'a third worker (feeder, recovery, schedules) and a third flusher join under load',
  withinMs: 60_000,
  async inject({ testbed, startTraffic, expect }) {
    const load = startTraffic({ sendsPerSecond: 15, hitsPerSecond: 30 });
    const added = [await testbed.add('worker'), await testbed.add('flusher')];
    await Promise.all(added.map((service) => service.start()));
    await waitSeconds(2);
    await load.stop();
    const codes = await Promise.all(added.map((service) => service.terminate()));
    expect(
      'the added processes exit with code 0',
      codes.every((code) => code === 0),
    );
  },
};
