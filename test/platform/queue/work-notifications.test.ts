import { connectForCommands, type RedisConnection } from '../../../src/platform/redis/connect.js';
import { WORK_KEY, WorkListener, WorkNotifier } from '../../../src/platform/queue/work-notifications.js';
import { eventually } from '../../support/eventually.js';
import { PrivateRedis } from '../../support/private-redis.js';

const UNNOTIFIED_MS = 7;

let server: PrivateRedis;
let redis: RedisConnection;
let listeners: WorkListener[];
let notifier: WorkNotifier;

beforeEach(async () => {
  server = await PrivateRedis.start();
  redis = connectForCommands(server.url);
  redis.on('error', () => undefined);
  listeners = [];
  notifier = new WorkNotifier(redis);
  await eventually(() => redis.status === 'ready');
});
afterEach(async () => {
  for (const listener of listeners) listener.onApplicationShutdown();
  redis.disconnect();
  await server.remove();
});

const isListening = (listener: WorkListener): boolean => listener.idleMs(UNNOTIFIED_MS) !== UNNOTIFIED_MS;

/** A listener for emails. @returns with the number of its calls, from 0 once it listens */
async function listen(): Promise<{ listener: WorkListener; calls: () => number }> {
  const listener = new WorkListener(redis);
  listeners.push(listener);
  let calls = 0;
  listener.on('emails', () => (calls += 1));
  expect(isListening(listener)).toBe(false);
  listener.start();
  await eventually(() => isListening(listener));
  expect(calls).toBe(1);
  calls = 0;
  return { listener, calls: () => calls };
}

it('wakes a worker that listens for this kind of work, and for no other', async () => {
  const { calls } = await listen();
  notifier.notify('broadcasts');
  await eventually(async () => (await redis.exists(WORK_KEY)) === 0);
  expect(calls()).toBe(0);
  notifier.notify('emails');
  await eventually(() => calls() === 1);
});

it('wakes one of several workers', async () => {
  const [first, second] = [await listen(), await listen()];
  notifier.notify('emails');
  await eventually(() => first.calls() + second.calls() === 1);
  notifier.notify('emails');
  await eventually(() => first.calls() === 1 && second.calls() === 1);
});

it('needs few commands for a thousand emails, and loses no notification that closely follows another', async () => {
  const { calls } = await listen();
  for (let email = 0; email < 1_000; email++) notifier.notify('emails');
  await eventually(() => calls() === 2);
  const commands = await redis.info('commandstats');
  expect(Number(/cmdstat_zadd:calls=(\d+)/.exec(commands)?.[1])).toBe(2);
});

it('wakes workers when Redis is back, and lets them query often until then', async () => {
  const { listener, calls } = await listen();
  await server.kill();
  await eventually(() => !isListening(listener));
  notifier.notify('emails');
  await server.start();
  await eventually(() => isListening(listener), 20_000);
  expect(calls()).toBe(1);
});
