import { Global, Module } from '@nestjs/common';
import { DispatchEpoch } from './dispatch-epoch.js';
import { JobProducer } from './job-producer.js';

/** For processes that add jobs. Consumers are in `roles/worker/`. */
@Global()
@Module({
  providers: [JobProducer, DispatchEpoch],
  exports: [JobProducer, DispatchEpoch],
})
export class QueueModule {}
