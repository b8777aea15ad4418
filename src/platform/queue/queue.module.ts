import { Global, Module } from '@nestjs/common';
import { DispatchEpoch } from './dispatch-epoch.js';
import { JobProducer } from './job-producer.js';
import { ResultChannel } from './result-channel.js';

/** For processes that add jobs or wait for their results. Consumers are in `roles/worker/`. */
@Global()
@Module({
  providers: [JobProducer, ResultChannel, DispatchEpoch],
  exports: [JobProducer, ResultChannel, DispatchEpoch],
})
export class QueueModule {}
