import { SharedLookups, type SystemLookup } from '../../../src/platform/redis/shared-lookup.js';
import { eventually } from '../../support/eventually.js';

/** A name server that responds on demand. */
class SlowNameServer {
  readonly open: { readonly name: string; resolve(error?: Error): void }[] = [];
  most = 0;

  readonly lookUp: SystemLookup = (name, _options, callback) => {
    const question = {
      name,
      resolve: (error?: Error) => {
        this.open.splice(this.open.indexOf(question), 1);
        callback(error ?? null, [
          { address: '192.0.2.1', family: 4 },
          { address: '2001:db8::1', family: 6 },
        ]);
      },
    };
    this.open.push(question);
    this.most = Math.max(this.most, this.open.length);
  };
}

let names: SlowNameServer;
let lookups: SharedLookups;

beforeEach(() => {
  names = new SlowNameServer();
  lookups = new SharedLookups(names.lookUp);
});

const lookUp = (name: string, options: { all?: boolean; family?: number } = {}) =>
  new Promise<unknown>((resolve, reject) =>
    lookups.lookup(name, options, (error, address) => (error ? reject(error) : resolve(address))),
  );

it('looks a name up once, however many connections need it', async () => {
  const results = Array.from({ length: 50 }, () => lookUp('redis', { all: true }));
  expect(names.open).toHaveLength(1);
  names.open[0]!.resolve();
  const all = [
    { address: '192.0.2.1', family: 4 },
    { address: '2001:db8::1', family: 6 },
  ];
  expect(await Promise.all(results)).toEqual(Array(50).fill(all));
  const again = lookUp('redis');
  names.open[0]!.resolve();
  expect(await again).toBe('192.0.2.1');
});

it('looks a name up for each family of addresses, because a connection may want one alone', async () => {
  const results = [4, 6].map((family) => lookUp('redis', { family }));
  expect(names.open).toHaveLength(2);
  while (names.open.length > 0) names.open[0]!.resolve();
  await Promise.all(results);
});

it('looks up at most two names at a time: the other two of the four threads are left to files and Postgres', async () => {
  const results = ['a', 'b', 'c', 'd', 'e'].map((name) => lookUp(name));
  expect(names.open.map(({ name }) => name)).toEqual(['a', 'b']);
  for (let count = 0; count < 5; count++) {
    await eventually(() => names.open.length > 0);
    names.open[0]!.resolve();
  }
  expect(await Promise.all(results)).toEqual(Array(5).fill('192.0.2.1'));
  expect(names.most).toBe(2);
});

it('gives the place of a finished lookup to the one that waits longest, and to no other one', async () => {
  const open = (): string[] => names.open.map(({ name }) => name);
  const results = ['a', 'b', 'c', 'd'].map((name) => lookUp(name));
  names.open[0]!.resolve();
  await eventually(() => open().includes('c'));
  results.push(lookUp('e'));
  expect(open()).toEqual(['b', 'c']);
  for (const next of [['c', 'd'], ['d', 'e'], ['e'], []]) {
    names.open[0]!.resolve();
    await eventually(() => open().join() === next.join());
  }
  await Promise.all(results);
  // All places are free again.
  const later = ['f', 'g'].map((name) => lookUp(name));
  expect(open()).toEqual(['f', 'g']);
  while (names.open.length > 0) names.open[0]!.resolve();
  await Promise.all(later);
});

it('reports a failure to all waiting callers, and then looks up again', async () => {
  const results = [lookUp('redis'), lookUp('redis')];
  names.open[0]!.resolve(new Error('EAI_AGAIN'));
  expect((await Promise.allSettled(results)).map(({ status }) => status)).toEqual(['rejected', 'rejected']);
  const again = lookUp('redis');
  expect(names.open).toHaveLength(1);
  names.open[0]!.resolve();
  expect(await again).toBe('192.0.2.1');
});
