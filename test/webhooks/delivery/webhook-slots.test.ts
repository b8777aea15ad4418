import type { ClaimedWebhookDelivery } from '../../../src/webhooks/delivery/claim-deliveries.js';
import { WebhookSlots, MAX_SLOW, SLOW_MS } from '../../../src/webhooks/delivery/webhook-slots.js';

it('remembers a limited number of slow endpoints, and forgets the least recently seen first', () => {
  const slots = new WebhookSlots(40);
  const markSlow = (endpointId: string) => slots.markSlow({ endpointId, unhealthy: true });
  for (let number = 0; number < MAX_SLOW; number++) markSlow(`endpoint-${number}`);
  markSlow('endpoint-0');
  markSlow('another');
  const { slow } = slots.free;
  expect(slow).toHaveLength(MAX_SLOW);
  expect(slow).not.toContain('endpoint-1');
  expect(slow.slice(-2)).toEqual(['endpoint-0', 'another']);
});

it('has a slot for every kind of endpoint, even if there are few', () => {
  expect(new WebhookSlots(2).free).toMatchObject({ healthy: 1, unhealthy: 1, perEndpoint: 1 });
});

describe('an endpoint that turned out to be slow', () => {
  const delivery = (endpointId: string) => ({ endpointId, unhealthy: false }) as ClaimedWebhookDelivery;

  it('stays slow until it is fast once', () => {
    const slots = new WebhookSlots(40);
    const slot = slots.take(delivery('slow'));
    slots.markSlow(slot);
    slots.release(slot, SLOW_MS);
    expect(slots.free.slow).toEqual(['slow']);
    slots.release(slots.take(delivery('slow')), SLOW_MS - 1);
    expect(slots.free).toMatchObject({ healthy: 30, unhealthy: 10, slow: [] });
  });

  it('frees no fast slot once slow requests use as many as there are slots', () => {
    const slots = new WebhookSlots(40);
    const markSlow = (request: number): void => slots.markSlow(slots.take(delivery(`endpoint-${request}`)));
    for (let request = 0; request < 40; request++) markSlow(request);
    expect(slots.free).toMatchObject({ healthy: 30, unhealthy: 10 - 40 });
    markSlow(40);
    expect(slots.free).toMatchObject({ healthy: 29, unhealthy: 10 - 40 });
  });
});
