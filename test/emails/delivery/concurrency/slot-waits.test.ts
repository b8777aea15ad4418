import { jest } from '@jest/globals';
import { Registry } from 'prom-client';
import type { RunSettings } from '../../../../src/platform/config/settings.js';
import { LONGEST_SLOT_WAIT_MS, ProviderSlots } from '../../../../src/emails/delivery/concurrency/provider-slots.js';

let now: number;
let slots: ProviderSlots;

beforeEach(() => {
  jest.useFakeTimers();
  now = 0;
  slots = new ProviderSlots({ WORKER_CONCURRENCY: 2 } as RunSettings, { now: () => now }, new Registry());
});
afterEach(() => {
  slots.stop();
  jest.useRealTimers();
});

async function pass(milliseconds: number): Promise<void> {
  now += milliseconds;
  await jest.advanceTimersByTimeAsync(milliseconds);
}

/** Takes slots and records the results in order. */
function take(names: string): string[] {
  const news: string[] = [];
  for (const name of names) void slots.take().then((hasSlot) => news.push(`${name} ${hasSlot ? 'runs' : 'goes back'}`));
  return news;
}

it('runs as many deliveries at once as its limit, in the order of their arrival', async () => {
  const news = take('abcd');
  await pass(0);
  expect(news).toEqual(['a runs', 'b runs']);
  slots.free();
  await pass(0);
  slots.free();
  await pass(0);
  expect(news).toEqual(['a runs', 'b runs', 'c runs', 'd runs']);
});

it('returns a job that waited too long, so that an idle worker can take it', async () => {
  const early = take('abc');
  await pass(LONGEST_SLOT_WAIT_MS - 1_000);
  const late = take('d');
  expect(early).toHaveLength(2);
  await pass(1_000);
  expect(early).toEqual(['a runs', 'b runs', 'c goes back']);
  expect(late).toEqual([]);
  slots.free();
  await pass(0);
  expect(late).toEqual(['d runs']);
});

it('returns all waiting jobs when the worker stops, and later ones too', async () => {
  const news = take('abc');
  slots.stop();
  await pass(0);
  expect(news).toEqual(['a runs', 'b runs', 'c goes back']);
  slots.free();
  const after = take('d');
  await pass(0);
  expect(after).toEqual(['d goes back']);
});
