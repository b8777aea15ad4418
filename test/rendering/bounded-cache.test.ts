import { BoundedCache } from '../../src/rendering/bounded-cache.js';

describe('BoundedCache', () => {
  it('drops the least recently used entry when it is full', () => {
    const cache = new BoundedCache(10);
    cache.set('a', '1234');
    cache.set('b', '1234');
    expect(cache.get('a')).toBe('1234');
    cache.set('c', '1234');
    expect(cache.get('b')).toBeUndefined();
    expect(cache.get('a')).toBe('1234');
    expect(cache.get('c')).toBe('1234');
  });

  it('counts a replaced text once and keeps no text that is longer than the whole cache', () => {
    const cache = new BoundedCache(10);
    for (let time = 0; time < 5; time++) cache.set('a', '12345678');
    expect(cache.get('a')).toBe('12345678');
    cache.set('b', '12345678901');
    expect(cache.get('b')).toBeUndefined();
    cache.set('c', '1234567890');
    expect(cache.get('c')).toBe('1234567890');
  });
});
