import { KeyCounts } from '../../../src/platform/memory/key-counts.js';

it('counts up and down per key, and keeps no key without a count', () => {
  const counts = new KeyCounts([['a', 2]]);
  counts.add('a', 1);
  counts.add('b', 1);
  counts.add('a', -2);
  counts.add('b', -1);
  counts.add('c', 0);
  expect([...counts]).toEqual([['a', 1]]);
  expect([counts.countOf('a'), counts.countOf('b')]).toEqual([1, 0]);
});
