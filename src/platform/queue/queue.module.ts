import { Global, Module } from '@nestjs/common';
import { DispatchEpoch } from './dispatch-epoch.js';
import { JobProducer } from './job-producer.js';
import { WorkListener, WorkNotifier } from './work-notifications.js';

/** For processes that add jobs or notify workers. Consumers are in `roles/worker/`, where the listener is started. */
@Global()
@Module({
  providers: [JobProducer, DispatchEpoch, WorkNotifier, WorkListener],
  exports: [JobProducer, DispatchEpoch, WorkNotifier, WorkListener],
})
export class QueueModule {}
