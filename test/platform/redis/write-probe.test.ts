import { EventEmitter } from 'node:events';
import type { RedisConnection } from '../../../src/platform/redis/connect.js';
import { WriteProbe } from '../../../src/platform/redis/write-probe.js';

/** A Redis that is a replica until it is replaced. */
function replicaAtFirst() {
  const state = { isReplica: true, writes: 0 };
  const set = (): Promise<string> => {
    state.writes++;
    return state.isReplica ? Promise.reject(new Error('READONLY replica')) : Promise.resolve('OK');
  };
  const redis = Object.assign(new EventEmitter(), { set });
  return { state, redis, probe: new WriteProbe(redis as unknown as RedisConnection) };
}

it('checks at the same time share one write', async () => {
  const { state, probe } = replicaAtFirst();
  const checks = await Promise.allSettled([probe.check(), probe.check(), probe.check()]);
  expect(checks.map(({ status }) => status)).toEqual(['rejected', 'rejected', 'rejected']);
  expect(state.writes).toBe(1);
});

it('a check after a new connection writes again, because the result before was of another server', async () => {
  const { state, redis, probe } = replicaAtFirst();
  await expect(probe.check()).rejects.toThrow('redis is a read only replica');
  state.isReplica = false;
  redis.emit('ready');
  await probe.check();
  expect(state.writes).toBe(2);
});
