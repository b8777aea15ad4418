import { Queue, type QueueOptions } from 'bullmq';
import { endWhileAway } from '../redis/end-while-away.js';

/**
 * A queue whose lost connection is reported by the commands that fail for it, and by nothing else: where nobody listens
 * for errors, BullMQ prints them beside the log.
 */
export class QuietQueue extends Queue {
  constructor(name: string, options: QueueOptions) {
    super(name, options);
    this.on('error', () => undefined);
  }

  override async close(): Promise<void> {
    const client = await this.backend.client;
    endWhileAway(client);
    await super.close();
  }
}
