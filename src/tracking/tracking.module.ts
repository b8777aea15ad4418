import { Module } from '@nestjs/common';
import type { Registry } from 'prom-client';
import { CLOCK, type Clock } from '../clock/clock.js';
import { METRICS } from '../health/metrics.js';
import { SigningKeyRing } from '../organizations/signing-key-ring.js';
import { EventAppender } from '../stream/event-appender.js';
import { TrackingEdge } from './tracking-edge.js';
import { TrackingMetrics } from './tracking-metrics.js';

/** The role `tracking`. The HTTP server asks its edge before the web framework. */
@Module({
  providers: [
    { provide: TrackingMetrics, inject: [METRICS], useFactory: (registry: Registry) => new TrackingMetrics(registry) },
    {
      provide: TrackingEdge,
      inject: [SigningKeyRing, EventAppender, CLOCK, TrackingMetrics],
      useFactory: (ring: SigningKeyRing, appender: EventAppender, clock: Clock, metrics: TrackingMetrics) =>
        new TrackingEdge(() => ring.current, appender, clock, metrics),
    },
  ],
  exports: [TrackingEdge],
})
export class TrackingModule {}
