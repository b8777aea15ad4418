import { BoundedMap } from '../../../src/platform/memory/bounded-map.js';

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
