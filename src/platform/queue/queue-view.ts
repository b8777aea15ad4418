import { Queue } from 'bullmq';
import { connectForBlocking } from '../redis/connect.js';
import type { RedisServers } from '../redis/redis-servers.js';
import { QUEUE_PREFIX, QUEUES } from './jobs.js';

/** A read-only view of the queues. */
export interface QueueView {
  readonly queues: readonly Queue[];
  close(): Promise<void>;
}

/** Uses a separate connection that waits while Redis is down instead of failing. */
export function viewQueues(servers: RedisServers): QueueView {
  const connection = connectForBlocking(servers);
  connection.on('error', () => undefined);
  const queues = Object.values(QUEUES).map((name) => {
    const queue = new Queue(name, { connection, prefix: QUEUE_PREFIX, skipMetasUpdate: true });
    queue.on('error', () => undefined);
    return queue;
  });
  return {
    queues,
    close: async () => {
      connection.disconnect();
      await Promise.allSettled(queues.map((queue) => queue.close()));
    },
  };
}
