import { Inject, Injectable } from '@nestjs/common';
import { isUuid } from '../clock/uuid-v7.js';
import { REDIS, type RedisConnection } from '../redis/connect.js';
import { QUEUE_PREFIX } from './jobs.js';

export const DISPATCH_EPOCH_KEY = `${QUEUE_PREFIX}:dispatch-epoch`;

/** A marker stored in Redis next to the jobs. If it is missing or different, Redis has lost the jobs. */
@Injectable()
export class DispatchEpoch {
  constructor(@Inject(REDIS) private readonly redis: RedisConnection) {}

  async read(): Promise<string | undefined> {
    const epoch = await this.redis.get(DISPATCH_EPOCH_KEY);
    return epoch !== null && isUuid(epoch) ? epoch : undefined;
  }

  async write(epoch: string): Promise<void> {
    await this.redis.set(DISPATCH_EPOCH_KEY, epoch);
  }
}
