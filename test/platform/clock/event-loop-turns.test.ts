import { setImmediate } from 'node:timers/promises';
import { EventLoopTurns } from '../../../src/platform/clock/event-loop-turns.js';

describe('computations that take turns', () => {
  it('run one at a time, in the order of their arrival', async () => {
    const turns = new EventLoopTurns();
    const steps: string[] = [];
    const work = (name: string) => async () => {
      steps.push(`${name} begins`);
      for (let turn = 0; turn < 3; turn++) await setImmediate();
      steps.push(`${name} ends`);
      return name;
    };
    const results = ['a', 'b', 'c'].map((name) => turns.run(work(name)));
    expect(await Promise.all(results)).toEqual(['a', 'b', 'c']);
    expect(steps).toEqual(['a', 'b', 'c'].flatMap((name) => [`${name} begins`, `${name} ends`]));
  });

  it('let pending events of the event loop run first', async () => {
    const turns = new EventLoopTurns();
    const order: string[] = [];
    const chunks = ['a', 'b'].map((name) => turns.run(() => Promise.resolve(order.push(name))));
    const other = setImmediate().then(() => order.push('other mail'));
    await Promise.all([...chunks, other]);
    expect(order.indexOf('other mail')).toBeLessThan(order.indexOf('b'));
  });

  it('continue after one that failed, and only that one reports the failure', async () => {
    const turns = new EventLoopTurns();
    const failing = turns.run(() => Promise.reject(new Error('Postgres is down')));
    const next = turns.run(() => Promise.resolve('done'));
    await expect(failing).rejects.toThrow('Postgres is down');
    expect(await next).toBe('done');
  });
});
