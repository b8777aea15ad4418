import { OrganizationSlots } from '../../../../src/emails/delivery/organizations/organization-slots.js';

let now = 0;
let slots: OrganizationSlots;
beforeEach(() => {
  now = 1_000;
  slots = new OrganizationSlots({ WORKER_CONCURRENCY: 8 }, { now: () => now });
});

/** Takes as many slots as there are for the organization. */
function takeAll(organizationId: string): (() => void)[] {
  const taken: (() => void)[] = [];
  for (let free = slots.tryTake(organizationId); free && taken.length < 100; free = slots.tryTake(organizationId)) {
    taken.push(free);
  }
  return taken;
}

it('gives one organization half of the slots, and the next ones half of the rest', () => {
  expect(['a', 'b', 'c', 'd', 'e'].map((id) => takeAll(id).length)).toEqual([4, 2, 1, 1, 0]);
});

it('keeps a quarter of the slots from slow organizations, however many they are', () => {
  const slow = Array.from({ length: 20 }, (_, n) => `slow-${n}`);
  for (const id of slow) {
    const taken = takeAll(id);
    now += 30_000;
    for (const free of taken) free();
  }
  const held = slow.map((id) => takeAll(id).length).reduce((sum, count) => sum + count, 0);
  expect(held).toBe(6);
  expect(slots.tryTake('another')).toBeDefined();
});

it('gives an organization the last slots again once it is quick', () => {
  const slow = slots.tryTake('a')!;
  now += 30_000;
  slow();
  for (let n = 0; n < 20; n++) {
    const free = slots.tryTake('a')!;
    now += 50;
    free();
  }
  takeAll('b');
  takeAll('c');
  takeAll('d');
  expect(slots.tryTake('a')).toBeDefined();
});

it('gives freed slots to others', () => {
  const [first] = takeAll('a');
  takeAll('b');
  first!();
  expect(slots.tryTake('c')).toBeDefined();
});

it('reports how many are held', () => {
  const held: number[] = [];
  slots.onChange = (count) => held.push(count);
  for (const free of takeAll('a')) free();
  expect(held).toEqual([1, 2, 3, 4, 3, 2, 1, 0]);
});

it('gives none once the worker stops', () => {
  slots.stop();
  expect([slots.isStopping, slots.tryTake('a')]).toEqual([true, undefined]);
});

it('puts jobs off one after the other, at the pace at which slots become free', () => {
  const taken = takeAll('a');
  now += 4_000;
  taken[0]!();
  slots.tryTake('a');
  // The average went from 100 to 880 ms, and four slots free one every 220 ms.
  expect([1, 2, 3].map(() => slots.delayMs('a'))).toEqual([220, 440, 660]);
  expect(slots.delayMs('b')).toBe(100);
  now += 10_000;
  expect(slots.delayMs('a')).toBe(220);
});

it('puts no job off for more than a minute', () => {
  takeAll('a');
  const delays = Array.from({ length: 5_000 }, () => slots.delayMs('a'));
  expect([Math.min(...delays), Math.max(...delays)]).toEqual([100, 60_000]);
});

it('forgets organizations without jobs', () => {
  for (let n = 0; n < 3_000; n++) {
    now += 200;
    slots.tryTake(`organization-${n}`)!();
  }
  expect((slots as unknown as { shares: Map<string, unknown> }).shares.size).toBeLessThanOrEqual(1_001);
});
