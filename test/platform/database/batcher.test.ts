import { jest } from '@jest/globals';
import { Batcher } from '../../../src/platform/database/batcher.js';
import { eventually } from '../../support/eventually.js';

/** Batches that were run, each ended by the test. */
class Runs {
  readonly batches: { items: readonly number[]; end: (error?: Error) => void }[] = [];

  run = (items: readonly number[]): Promise<string[]> =>
    new Promise((resolve, reject) => {
      const end = (error?: Error) => (error ? reject(error) : resolve(items.map((item) => `did ${item}`)));
      this.batches.push({ items, end });
    });
}

/** A batcher without pauses. */
const batcherOf = <Result>(
  run: (items: readonly number[]) => Promise<readonly Result[]>,
  maxItems: number,
  overlapAfterMs?: number,
) => new Batcher(run, { maxItems, overlapAfterMs, pause: async () => {} });

const refused = (code: string) => Object.assign(new Error('refused'), { code });
const turn = () => new Promise((resolve) => setImmediate(resolve));

describe('calls that are coalesced', () => {
  it('do not wait while no batch runs, and then run together', async () => {
    const runs = new Runs();
    const calls = batcherOf(runs.run, 3);
    const first = calls.call(1);
    await turn();
    expect(runs.batches.map(({ items }) => items)).toEqual([[1]]);
    const others = [2, 3, 4, 5].map((item) => calls.call(item));
    await turn();
    for (const batch of [0, 1, 2]) {
      runs.batches[batch]!.end();
      await turn();
    }
    expect(runs.batches.map(({ items }) => items)).toEqual([[1], [2, 3, 4], [5]]);
    expect(await Promise.all([first, ...others])).toEqual(['did 1', 'did 2', 'did 3', 'did 4', 'did 5']);
  });

  it('share a batch when they arrive in one turn of the event loop', async () => {
    const runs = new Runs();
    const calls = batcherOf(runs.run, 10);
    const results = [calls.call(1)];
    await Promise.resolve();
    results.push(calls.call(2));
    await new Promise(process.nextTick);
    results.push(calls.call(3));
    await turn();
    expect(runs.batches.map(({ items }) => items)).toEqual([[1, 2, 3]]);
    runs.batches[0]!.end();
    await Promise.all(results);
  });

  it('fail together when Postgres is down, and continue afterwards', async () => {
    for (const code of ['ECONNREFUSED', 'EPIPE', '57P01', '08006']) {
      const runs = new Runs();
      const calls = batcherOf(runs.run, 10);
      const first = calls.call(1);
      await turn();
      const results = Promise.allSettled([first, ...[2, 3].map((item) => calls.call(item))]);
      runs.batches[0]!.end();
      await turn();
      runs.batches[1]!.end(refused(code));
      expect((await results).map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'rejected']);
      const next = calls.call(4);
      await turn();
      runs.batches[2]!.end();
      expect(await next).toBe('did 4');
    }
  });

  it('fail separately when Postgres refuses one of them', async () => {
    const calls = batcherOf(
      (items: readonly number[]) =>
        items.includes(5) ? Promise.reject(refused('22021')) : Promise.resolve(items.map((item) => `did ${item}`)),
      10,
    );
    const results = await Promise.allSettled([1, 2, 3, 4, 5, 6, 7].map((item) => calls.call(item)));
    expect(results.map(({ status }) => status === 'fulfilled')).toEqual([true, true, true, true, false, true, true]);
  });

  it('run separately, three at the same time, when a statement that locks rows reaches its timeout', async () => {
    const runs = new Runs();
    const calls = new Batcher(runs.run, { maxItems: 10, locksRows: true });
    const results = Promise.allSettled([1, 2, 3, 4, 5].map((item) => calls.call(item)));
    await turn();
    runs.batches[0]!.end(refused('57014'));
    await turn();
    const alone = () => runs.batches.slice(1).map(({ items }) => items);
    expect(alone()).toEqual([[1], [2], [3]]);
    runs.batches[2]!.end(refused('57014'));
    await turn();
    expect(alone()).toEqual([[1], [2], [3], [4]]);
    for (const batch of [1, 3, 4]) runs.batches[batch]!.end();
    await turn();
    expect(alone()).toEqual([[1], [2], [3], [4], [5]]);
    runs.batches[5]!.end();
    const statuses = (await results).map(({ status }) => status);
    expect(statuses).toEqual(['fulfilled', 'rejected', 'fulfilled', 'fulfilled', 'fulfilled']);
  });

  it('fail together when a statement that only reads reaches its timeout, because alone they would take longer', async () => {
    const runs = new Runs();
    const calls = batcherOf(runs.run, 10);
    const results = Promise.allSettled([1, 2, 3].map((item) => calls.call(item)));
    await turn();
    runs.batches[0]!.end(refused('57014'));
    expect((await results).map(({ status }) => status)).toEqual(['rejected', 'rejected', 'rejected']);
    expect(runs.batches).toHaveLength(1);
  });

  it('wait for a batch no longer than its time limit', async () => {
    const runs = new Runs();
    const calls = batcherOf(runs.run, 10, 20);
    const slow = calls.call(1);
    await turn();
    const next = calls.call(2);
    await turn();
    expect(runs.batches).toHaveLength(1);
    await eventually(() => runs.batches.length === 2);
    runs.batches[1]!.end();
    expect(await next).toBe('did 2');
    expect(calls.isIdle).toBe(false);
    runs.batches[0]!.end();
    expect(await slow).toBe('did 1');
    await turn();
    expect(calls.isIdle).toBe(true);
  });

  it('take no more than three connections, however long batches take', async () => {
    const [runs, most] = [new Runs(), 3];
    const calls = batcherOf(runs.run, 1, 5);
    const results = [1, 2, 3, 4, 5].map((item) => calls.call(item));
    for (let ended = 0; ended < results.length; ended++) {
      await eventually(() => runs.batches.length === Math.min(ended + most, results.length));
      runs.batches[ended]!.end();
    }
    expect(await Promise.all(results)).toHaveLength(results.length);
  });

  it.each([
    [4, 8],
    [50, 20],
  ])('wait for each other after a batch of %i ms under load, for %i ms', async (batchMs, pauseMs) => {
    const now = jest.spyOn(performance, 'now').mockReturnValue(1_000);
    const runs = new Runs();
    const pauses: { milliseconds: number; end: () => void }[] = [];
    const pause = (milliseconds: number) => new Promise<void>((end) => pauses.push({ milliseconds, end }));
    const calls = new Batcher(runs.run, { maxItems: 10, pause });
    const results = [1, 2, 3].map((item) => calls.call(item));
    await turn();
    now.mockReturnValue(1_000 + batchMs);
    runs.batches[0]!.end();
    await turn();
    now.mockRestore();
    expect(pauses.map(({ milliseconds }) => milliseconds)).toEqual([pauseMs]);
    results.push(calls.call(4), calls.call(5));
    await turn();
    expect(runs.batches).toHaveLength(1);
    pauses[0]!.end();
    await turn();
    expect(runs.batches.slice(1).map(({ items }) => items)).toEqual([[4, 5]]);
    runs.batches[1]!.end();
    await Promise.all(results);
  });

  /** Makes four calls, one after the other, each while no statement runs. */
  async function callEvenly(intervalMs: number, pause: () => Promise<unknown>): Promise<void> {
    const now = jest.spyOn(performance, 'now').mockReturnValue(1_000);
    const runs = new Runs();
    const calls = new Batcher(runs.run, { maxItems: 10, pause });
    for (let call = 0; call < 4; call++) {
      now.mockReturnValue(1_000 + intervalMs * call);
      const result = calls.call(call);
      await turn();
      runs.batches[call]!.end();
      await result;
      await turn();
    }
    now.mockRestore();
  }

  it('wait for each other when they arrive evenly spaced, each while no statement runs', async () => {
    let pauses = 0;
    await callEvenly(10, () => {
      pauses++;
      return Promise.resolve();
    });
    expect(pauses).toBe(2);
  });

  it('do not wait for each other when three arrive in more than 20 ms', async () => {
    await callEvenly(11, () => new Promise(() => {}));
  });

  it.each([
    ['there are only two', [1], [2], 10],
    ['as many wait as one statement takes', [1, 2, 3], [4, 5, 6], 3],
  ])('do not wait for each other when %s', async (_, first, meanwhile, maxItems) => {
    const runs = new Runs();
    const calls = new Batcher(runs.run, { maxItems, pause: () => new Promise(() => {}) });
    const results = first.map((item) => calls.call(item));
    await turn();
    results.push(...meanwhile.map((item) => calls.call(item)));
    runs.batches[0]!.end();
    await turn();
    expect(runs.batches.map(({ items }) => items)).toEqual([first, meanwhile]);
    runs.batches[1]!.end();
    await Promise.all(results);
  });
});
