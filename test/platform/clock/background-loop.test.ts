import { once, EventEmitter } from 'node:events';
import { jest } from '@jest/globals';
import { BackgroundLoop } from '../../../src/platform/clock/background-loop.js';

it('repeats its rounds one after the other, and waits between them for the time that the last one returned', async () => {
  const progress = new EventEmitter();
  const rounds: number[] = [];
  let running = 0;
  const loop = new BackgroundLoop(async () => {
    running += 1;
    expect(running).toBe(1);
    await Promise.resolve();
    running -= 1;
    if (rounds.push(performance.now()) === 3) progress.emit('third');
    return 20;
  });
  const third = once(progress, 'third');
  loop.start();
  await third;
  await loop.stop();
  // Node's timers count whole milliseconds.
  expect(rounds[1]! - rounds[0]!).toBeGreaterThanOrEqual(19);
});

it('starts the next round at once when it is woken while it waits or while a round runs', async () => {
  const rounds: (() => void)[] = [];
  const begun = new EventEmitter();
  const loop = new BackgroundLoop(async () => {
    const ended = new Promise<void>((resolve) => rounds.push(resolve));
    begun.emit('round');
    await ended;
    return 3_600_000;
  });
  const next = () => once(begun, 'round');
  const first = next();
  loop.start();
  await first;
  const second = next();
  loop.wake();
  rounds[0]!();
  await second;
  const third = next();
  rounds[1]!();
  await new Promise(setImmediate);
  expect(rounds).toHaveLength(2);
  loop.wake();
  await third;
  const stopped = loop.stop();
  rounds[2]!();
  await stopped;
  expect(rounds).toHaveLength(3);
});

it('wakes as soon as the minimum interval has passed, however often it is woken', async () => {
  const progress = new EventEmitter();
  const rounds: number[] = [];
  const loop = new BackgroundLoop(() => {
    rounds.push(performance.now());
    progress.emit('round');
    return Promise.resolve(3_600_000);
  });
  const next = () => once(progress, 'round');
  const first = next();
  loop.start();
  await first;
  await new Promise(setImmediate);
  const second = next();
  for (let time = 0; time < 10; time++) loop.wakeAfter(60);
  await second;
  expect(rounds[1]! - rounds[0]!).toBeGreaterThanOrEqual(58);
  await new Promise((resolve) => setTimeout(resolve, 20));
  expect(rounds).toHaveLength(2);
  const third = next();
  loop.wakeAfter(1);
  await third;
  await loop.stop();
});

it('wakes in time although the clock of the host was set back', async () => {
  const progress = new EventEmitter();
  const loop = new BackgroundLoop(() => {
    progress.emit('round');
    return Promise.resolve(3_600_000);
  });
  const first = once(progress, 'round');
  loop.start();
  await first;
  await new Promise(setImmediate);
  const setBack = jest.spyOn(Date, 'now').mockReturnValue(Date.now() - 3_600_000);
  const second = once(progress, 'round');
  loop.wakeAfter(20);
  await second;
  setBack.mockRestore();
  await loop.stop();
});

it('stops at once while it waits for the next round', async () => {
  const loop = new BackgroundLoop(() => Promise.resolve(3_600_000));
  loop.start();
  await loop.stop();
});

it('stops after the round that is running', async () => {
  let endRound!: (waitMs: number) => void;
  const loop = new BackgroundLoop(() => new Promise((resolve) => (endRound = resolve)));
  loop.start();
  let stopped = false;
  const stopping = loop.stop().then(() => (stopped = true));
  await new Promise(setImmediate);
  expect(stopped).toBe(false);
  endRound(0);
  await stopping;
});

it('stops when it was never started', async () => {
  await new BackgroundLoop(() => Promise.resolve(0)).stop();
});
