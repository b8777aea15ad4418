import { setImmediate } from 'node:timers/promises';
import { BoundedMap } from '../../../src/platform/memory/bounded-map.js';
import { collectGarbage } from '../../support/collect-garbage.js';

it('evicts the key that was set the longest ago', () => {
  const map = new BoundedMap<string, number>(2);
  map.set('a', 1).set('b', 2).set('a', 3).set('c', 4);
  expect([...map]).toEqual([
    ['a', 3],
    ['c', 4],
  ]);
});

it('keeps the latest keys, whichever are set again or deleted between them', () => {
  const map = new BoundedMap<number, number>(50);
  let expected: number[] = [];
  for (let step = 0; step < 5_000; step++) {
    const key = (step * step) % 97;
    if (step % 7 === 0) map.delete(key);
    else map.set(key, step);
    expected = expected.filter((other) => other !== key);
    if (step % 7 !== 0) expected = [...expected, key].slice(-50);
    if (step % 1_000 === 999) for (const left of expected.splice(0)) map.delete(left);
    expect([...map.keys()]).toEqual(expected);
  }
});

it.each([
  ['is not full', 100, 0],
  ['is full', 10, 0],
  ['was full', 10, 5],
])('keeps no replaced value while it %s', async (_when, maxSize, deleted) => {
  const map = new BoundedMap<number, object>(maxSize);
  for (let key = 0; key < 20; key++) map.set(key, {});
  for (let key = 0; key < deleted; key++) map.delete(19 - key);
  const replaced = new WeakRef(map.get(10)!);
  for (let step = 0; step < 1_000; step++) map.set(10 + (step % 5), {});
  await setImmediate();
  collectGarbage();
  expect(replaced.deref()).toBeUndefined();
  expect(map.size).toBeGreaterThan(4);
});
