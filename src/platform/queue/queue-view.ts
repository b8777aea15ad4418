import { Queue } from 'bullmq';
import { connectForBlocking } from '../redis/connect.js';
import type { RedisServers } from '../redis/redis-servers.js';
import { QUEUE_PREFIX, QUEUES } from './jobs.js';

/** The queues as somebody sees them who only looks. */
export interface QueueView {
  readonly queues: readonly Queue[];
  close(): Promise<void>;
}

/** On a connection of its own, which waits for a Redis that is away rather than giving the queues up. */
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
