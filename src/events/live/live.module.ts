import { Global, Module } from '@nestjs/common';
import { LivePublisher } from './live-publisher.js';
import { LiveStore } from './live-store.js';

/** For processes that change what people look at. */
@Global()
@Module({ providers: [LiveStore, LivePublisher], exports: [LiveStore, LivePublisher] })
export class LiveModule {}
