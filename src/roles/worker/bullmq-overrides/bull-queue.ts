import { Queue, type QueueOptions } from 'bullmq';
import { CloseDuringOutage } from '../../../platform/redis/ioredis-overrides/close-during-outage.js';

/**
 * A queue that reports a lost connection only through its failing commands. Without an error listener, BullMQ would
 * print errors outside the log.
 */
export class BullQueue extends Queue {
  private readonly connections: CloseDuringOutage;

  constructor(name: string, options: QueueOptions) {
    const connections = new CloseDuringOutage();
    super(name, { ...options, connection: connections.apply(options.connection) });
    this.connections = connections;
    this.on('error', () => undefined);
  }

  override async close(): Promise<void> {
    await this.connections.end([this.backend.client]);
    await super.close();
  }
}
