import { BoundedCache } from '../../src/rendering/bounded-cache.js';

describe('BoundedCache', () => {
  it('drops the least recently used entry when it is full', () => {
    const cache = new BoundedCache<string>(10);
    cache.set('a', 'A', 4);
    cache.set('b', 'B', 4);
    expect(cache.get('a')).toBe('A');
    cache.set('c', 'C', 4);
    expect(cache.get('b')).toBeUndefined();
    expect(cache.get('a')).toBe('A');
    expect(cache.get('c')).toBe('C');
  });

  it('counts a replaced value once', () => {
    const cache = new BoundedCache<string>(10);
    for (let time = 0; time < 5; time++) cache.set('a', 'A', 5);
    cache.set('b', 'B', 5);
    expect(['a', 'b'].map((key) => cache.get(key))).toEqual(['A', 'B']);
  });

  it('keeps no value that is larger than the whole cache, and all others', () => {
    const cache = new BoundedCache<string>(10);
    cache.set('a', 'A', 5);
    cache.set('b', 'B', 5);
    cache.set('b', 'B', 11);
    expect(['a', 'b'].map((key) => cache.get(key))).toEqual(['A', undefined]);
    cache.set('c', 'C', 10);
    expect(['a', 'c'].map((key) => cache.get(key))).toEqual([undefined, 'C']);
  });
});
