import { Registry } from 'prom-client';
import { BounceMetrics } from '../../../../src/events/feedback/smtp/bounce-metrics.js';

it('starts every series at zero, so that an increase shows the first notification', async () => {
  const registry = new Registry();
  new BounceMetrics(registry);
  const text = await registry.metrics();
  for (const transport of ['smtp', 'http']) {
    expect(text).toContain(
      `mailbeacon_bounce_notifications_total{transport="${transport}",kind="delivery-status",result="lost"} 0`,
    );
  }
});
