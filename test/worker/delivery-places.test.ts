import { DeliveryPlaces, MAX_SLOW } from '../../src/worker/delivery-places.js';

it('remembers so many slow endpoints, and forgets those longest unheard of', () => {
  const places = new DeliveryPlaces(40);
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
  expect(new DeliveryPlaces(2).free).toMatchObject({ healthy: 1, troubled: 1, perEndpoint: 1 });
});
