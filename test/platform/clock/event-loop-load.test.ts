import type { EventLoopUtilization } from 'node:perf_hooks';
import { EventLoopLoad } from '../../../src/platform/clock/event-loop-load.js';

/** An event loop that was idle and active for these times, in milliseconds. */
class FakeLoop {
  idle = 0;
  active = 0;

  utilization = (since: EventLoopUtilization = { idle: 0, active: 0, utilization: 0 }): EventLoopUtilization => {
    const [idle, active] = [this.idle - since.idle, this.active - since.active];
    return { idle, active, utilization: active / (idle + active || 1) };
  };
}

it('is the busy share of the last span of at least 100 ms', () => {
  const loop = new FakeLoop();
  const load = new EventLoopLoad(loop.utilization);
  expect(load.busyShare).toBe(0);
  loop.active = 90;
  loop.idle = 9;
  expect(load.busyShare).toBe(0);
  loop.idle = 10;
  expect(load.busyShare).toBe(0.9);
  loop.idle = 100;
  expect(load.busyShare).toBe(0.9);
  loop.idle = 110;
  expect(load.busyShare).toBe(0);
});

it('reads the event loop of the process', () => {
  const load = new EventLoopLoad();
  for (const end = performance.now() + 150; performance.now() < end;);
  expect(load.busyShare).toBeGreaterThan(0.5);
});
