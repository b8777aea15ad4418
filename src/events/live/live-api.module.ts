import { Module } from '@nestjs/common';
import { LiveConnections } from './live-connections.js';
import { LiveController } from './live.controller.js';
import { LiveFeed } from './live-feed.js';
import { LiveMetrics } from './live-metrics.js';

/** Live messages for clients of the API. */
@Module({ controllers: [LiveController], providers: [LiveMetrics, LiveFeed, LiveConnections] })
export class LiveApiModule {}
