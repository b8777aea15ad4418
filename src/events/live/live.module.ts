import { Global, Module } from '@nestjs/common';
import { LivePublisher } from './live-publisher.js';
import { LiveStore } from './live-store.js';

/** For processes whose changes clients show live. */
@Global()
@Module({ providers: [LiveStore, LivePublisher], exports: [LiveStore, LivePublisher] })
export class LiveModule {}
