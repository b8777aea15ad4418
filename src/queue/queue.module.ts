import { BullModule } from '@nestjs/bullmq';
import { Global, Module } from '@nestjs/common';
import type { Redis } from 'ioredis';
import { REDIS } from '../redis/connect.js';
import { JobProducer } from './job-producer.js';
import { QUEUE_PREFIX, QUEUES } from './jobs.js';
import { ResultChannel } from './result-channel.js';

/** What processes need that add jobs. Consumers have connections of their own, in `worker/`. */
@Global()
@Module({
  imports: [
    BullModule.forRootAsync({
      inject: [REDIS],
      useFactory: (redis: Redis) => ({
        connection: redis,
        prefix: QUEUE_PREFIX,
        // Adding must fail fast while Redis is away: the email is safe in Postgres.
        skipWaitingForReady: true,
      }),
    }),
    BullModule.registerQueue(...Object.values(QUEUES).map((name) => ({ name }))),
  ],
  providers: [JobProducer, ResultChannel],
  exports: [JobProducer, ResultChannel, BullModule],
})
export class QueueModule {}
