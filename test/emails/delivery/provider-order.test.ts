import fc from 'fast-check';
import { orderFor } from '../../../src/emails/delivery/provider-order.js';

const emails = Array.from({ length: 4_000 }, (_, index) => `email-${index}`);
const firstOf = (providers: Parameters<typeof orderFor>[1]) => {
  const counts: Record<string, number> = {};
  for (const email of emails) {
    const { id } = orderFor(email, providers)[0]!;
    counts[id] = (counts[id] ?? 0) + 1;
  }
  return counts;
};

it('keeps the order of the list without weights', () => {
  const providers = [{ id: 'b' }, { id: 'a' }, { id: 'c' }];
  expect(orderFor('e', providers)).toEqual(providers);
});

it('divides mail in proportion to the weights, and keeps providers without one for the rest', () => {
  const counts = firstOf([
    { id: 'spare' },
    { id: 'small', weight: 1 },
    { id: 'large', weight: 3 },
    { id: 'off', weight: 0 },
  ]);
  expect(Object.keys(counts).sort()).toEqual(['large', 'small']);
  expect(counts.large! / emails.length).toBeCloseTo(0.75, 1);
});

it('moves only the mail of a provider that is missing', () => {
  const all = [
    { id: 'a', weight: 2 },
    { id: 'b', weight: 1 },
    { id: 'c', weight: 1 },
  ];
  const before = new Map(emails.map((email) => [email, orderFor(email, all)[0]!.id]));
  const others = all.filter(({ id }) => id !== 'c');
  for (const [email, id] of before) if (id !== 'c') expect(orderFor(email, others)[0]!.id).toBe(id);
});

it('lists each provider once, in the same order every time', () => {
  const provider = fc.record({ id: fc.string(), weight: fc.option(fc.nat(5), { nil: undefined }) });
  const list = fc.uniqueArray(provider, { selector: ({ id }) => id, maxLength: 8 });
  fc.assert(
    fc.property(fc.string(), list, (key, found) => {
      const providers = found.map(({ id, weight }) => ({ id, ...(weight !== undefined && { weight }) }));
      const ordered = orderFor(key, providers);
      expect(new Set(ordered)).toEqual(new Set(providers));
      expect(ordered).toHaveLength(providers.length);
      expect(orderFor(key, providers)).toEqual(ordered);
    }),
  );
});
