import { DueDeliveries, type ClaimedWebhookDelivery } from '../../../src/webhooks/delivery/claim-deliveries.js';
import type { WebhookBench } from '../webhook-bench.js';

export const freeSlots = { healthy: 10, unhealthy: 10, perEndpoint: 10, running: new Map(), slow: [] };

/** Creates a webhook with claimed deliveries that no worker attempts. */
export async function claimedDeliveries(
  bench: WebhookBench,
  count: number,
): Promise<{ id: string; claimed: ClaimedWebhookDelivery[] }> {
  const { id } = await bench.webhook('http://127.0.0.1:9/old');
  const due = new DueDeliveries(bench.service.database);
  const claimed = await due.claimWoken(await bench.write(id, count), freeSlots);
  expect(claimed).toHaveLength(count);
  return { id, claimed };
}
