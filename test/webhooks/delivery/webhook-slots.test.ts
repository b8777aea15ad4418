import type { ClaimedWebhookDelivery } from '../../../src/webhooks/delivery/claim-deliveries.js';
import { WebhookSlots, MAX_SLOW, SLOW_MS } from '../../../src/webhooks/delivery/webhook-slots.js';

it('remembers so many slow endpoints, and forgets those longest unheard of', () => {
  const places = new WebhookSlots(40);
  const turnSlow = (endpointId: string) => places.turnSlow({ endpointId, troubled: true });
  for (let number = 0; number < MAX_SLOW; number++) turnSlow(`endpoint-${number}`);
  turnSlow('endpoint-0');
  turnSlow('another');
  const { slow } = places.free;
  expect(slow).toHaveLength(MAX_SLOW);
  expect(slow).not.toContain('endpoint-1');
  expect(slow.slice(-2)).toEqual(['endpoint-0', 'another']);
});

it('has a place for every kind of endpoint, however few there are', () => {
  expect(new WebhookSlots(2).free).toMatchObject({ healthy: 1, troubled: 1, perEndpoint: 1 });
});

describe('an endpoint that turned out to be slow', () => {
  const delivery = (endpointId: string) => ({ endpointId, troubled: false }) as ClaimedWebhookDelivery;

  it('stays slow until it is quick once', () => {
    const places = new WebhookSlots(40);
    const place = places.take(delivery('slow'));
    places.turnSlow(place);
    places.giveBack(place, SLOW_MS);
    expect(places.free.slow).toEqual(['slow']);
    places.giveBack(places.take(delivery('slow')), SLOW_MS - 1);
    expect(places.free).toMatchObject({ healthy: 30, troubled: 10, slow: [] });
  });

  it('frees no place among the quick ones once as many slow requests as there are places are under way', () => {
    const places = new WebhookSlots(40);
    const turnSlow = (request: number): void => places.turnSlow(places.take(delivery(`endpoint-${request}`)));
    for (let request = 0; request < 40; request++) turnSlow(request);
    expect(places.free).toMatchObject({ healthy: 30, troubled: 10 - 40 });
    turnSlow(40);
    expect(places.free).toMatchObject({ healthy: 29, troubled: 10 - 40 });
  });
});
