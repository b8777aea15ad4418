import { createMetrics } from '../../../src/platform/health/metrics.js';
import { collectGarbage } from '../../support/collect-garbage.js';
import { eventually } from '../../support/eventually.js';

it('a service that has stopped leaves no registry of metrics behind', async () => {
  const registry = new WeakRef(createMetrics());
  await eventually(() => {
    collectGarbage();
    return registry.deref() === undefined;
  });
});

it('every registry shows the metrics of the process', async () => {
  const [one, other] = [createMetrics(), createMetrics()];
  for (const registry of [one, other]) {
    const text = await registry.metrics();
    expect(text).toMatch(/^process_cpu_seconds_total \d/m);
    expect(text).toContain('# TYPE nodejs_gc_duration_seconds histogram');
  }
});
