import { SharedLookups, type SystemLookup } from '../../../src/platform/redis/shared-lookup.js';
import { eventually } from '../../support/eventually.js';

/** A name server that responds on demand. */
class SlowNameServer {
  readonly open: { readonly name: string; answer(error?: Error): void }[] = [];
  most = 0;

  readonly lookUp: SystemLookup = (name, _options, callback) => {
    const question = {
      name,
      answer: (error?: Error) => {
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

const lookUp = (name: string, options: { all?: boolean } = {}) =>
  new Promise<unknown>((resolve, reject) =>
    lookups.lookup(name, options, (error, address) => (error ? reject(error) : resolve(address))),
  );

it('asks once for a name, however many connections want it', async () => {
  const answers = Array.from({ length: 50 }, () => lookUp('redis', { all: true }));
  expect(names.open).toHaveLength(1);
  names.open[0]!.answer();
  const all = [
    { address: '192.0.2.1', family: 4 },
    { address: '2001:db8::1', family: 6 },
  ];
  expect(await Promise.all(answers)).toEqual(Array(50).fill(all));
  const again = lookUp('redis');
  names.open[0]!.answer();
  expect(await again).toBe('192.0.2.1');
});

it('asks for two names at once at most: the others of the four threads are left to files and Postgres', async () => {
  const answers = ['a', 'b', 'c', 'd', 'e'].map((name) => lookUp(name));
  expect(names.open.map(({ name }) => name)).toEqual(['a', 'b']);
  for (let asked = 0; asked < 5; asked++) {
    await eventually(() => names.open.length > 0);
    names.open[0]!.answer();
  }
  expect(await Promise.all(answers)).toEqual(Array(5).fill('192.0.2.1'));
  expect(names.most).toBe(2);
});

it('reports a failure to all waiting callers, and then looks up again', async () => {
  const answers = [lookUp('redis'), lookUp('redis')];
  names.open[0]!.answer(new Error('EAI_AGAIN'));
  expect((await Promise.allSettled(answers)).map(({ status }) => status)).toEqual(['rejected', 'rejected']);
  const again = lookUp('redis');
  expect(names.open).toHaveLength(1);
  names.open[0]!.answer();
  expect(await again).toBe('192.0.2.1');
});
