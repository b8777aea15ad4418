import { Registry } from 'prom-client';
import { EventLoopDelay, measureBusyShare } from '../../../src/platform/health/event-loop-delay.js';
import { createMetrics } from '../../../src/platform/health/metrics.js';
import { eventually } from '../../support/eventually.js';

const NAMES = ['min', 'max', 'mean', 'stddev', 'p50', 'p90', 'p99'].map(
  (name) => `nodejs_eventloop_lag_${name}_seconds`,
);

let delay: EventLoopDelay;
let busyShare = 0;

beforeEach(() => {
  busyShare = 0;
  delay = new EventLoopDelay(() => busyShare);
});
afterEach(() => delay.stop());

function block(milliseconds: number): void {
  for (const end = performance.now() + milliseconds; performance.now() < end;);
}

async function valueOf(registry: Registry, name: string): Promise<number> {
  const values = await registry.getMetricsAsJSON();
  const metric = values.find((one) => one.name === name) as unknown as { values: { value: number }[] };
  return metric.values[0]!.value;
}

it('rarely wakes an idle process, and often one that has work', async () => {
  delay.start();
  await eventually(() => delay.intervalMs >= 400);
  busyShare = 0.2;
  await eventually(() => delay.intervalMs === 50);
});

it('measures the share of its time that the event loop works', async () => {
  const measured = measureBusyShare();
  block(20);
  const busy = measured();
  await eventually(() => measured() < busy);
});

it('shows how long the event loop was blocked, once', async () => {
  const registry = createMetrics();
  delay.register(registry);
  expect(registry.getMetricsAsArray().map(({ name }) => name)).toEqual(expect.arrayContaining(NAMES));
  delay.start();
  await new Promise((resolve) => setTimeout(resolve, 10));
  block(400);
  await eventually(async () => (await valueOf(registry, NAMES[1]!)) > 0.3);
  // A busy machine may stop the process for as long once more.
  await eventually(async () => {
    const values = await Promise.all(NAMES.map((name) => valueOf(registry, name)));
    return values.every((value) => value < 0.3);
  });
});

it('shows zeros before the first sample', async () => {
  const registry = new Registry();
  delay.register(registry);
  for (const name of NAMES) expect(await valueOf(registry, name)).toBe(0);
});
