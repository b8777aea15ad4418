import { LookupCache } from '../../../src/platform/database/lookup-cache.js';

const KEPT_MS = 1_000;
const MAX_ENTRIES = 3;

let now: number;
let lookups: string[];
let cache: LookupCache<string | undefined>;

beforeEach(() => {
  now = 0;
  lookups = [];
  cache = new LookupCache({ now: () => now }, KEPT_MS, MAX_ENTRIES);
});

const find = (key: string, found: () => Promise<string | undefined> = async () => key) =>
  cache.find(
    key,
    () => {
      lookups.push(key);
      return found();
    },
    (result) => result !== undefined,
  );

it('looks up once for all callers while the result is cached', async () => {
  expect(await Promise.all([find('a'), find('a')])).toEqual(['a', 'a']);
  now = KEPT_MS - 1;
  expect(await find('a')).toBe('a');
  expect(lookups).toEqual(['a']);
  now = KEPT_MS;
  await find('a');
  expect(lookups).toEqual(['a', 'a']);
});

it('caches neither a failure nor a result that must not be kept', async () => {
  await expect(find('a', () => Promise.reject(new Error('unreachable')))).rejects.toThrow('unreachable');
  expect(await find('a', async () => undefined)).toBeUndefined();
  expect(await find('a')).toBe('a');
  expect(lookups).toEqual(['a', 'a', 'a']);
});

it('keeps the newer result when an older lookup of the key fails afterwards', async () => {
  let fail: (error: Error) => void = () => undefined;
  const older = find('a', () => new Promise((_, reject) => (fail = reject)));
  now = KEPT_MS;
  expect(await find('a')).toBe('a');
  fail(new Error('unreachable'));
  await expect(older).rejects.toThrow('unreachable');
  await find('a');
  expect(lookups).toEqual(['a', 'a']);
});

it('drops the oldest when it is full', async () => {
  for (const key of ['a', 'b', 'c', 'd']) await find(key);
  lookups = [];
  for (const key of ['d', 'c', 'b', 'a']) await find(key);
  expect(lookups).toEqual(['a']);
});
