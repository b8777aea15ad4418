import { Module, type OnApplicationShutdown } from '@nestjs/common';
import type { Registry } from 'prom-client';
import { CLOCK, type Clock } from '../platform/clock/clock.js';
import { SETTINGS, type Settings } from '../platform/config/settings.js';
import { METRICS } from '../platform/health/metrics.js';
import { SigningKeyRing } from '../links/signing-key-ring.js';
import { EventAppender } from '../events/stream/event-appender.js';
import { TrackingEdge } from './tracking-edge.js';
import { TrackingMetrics } from './tracking-metrics.js';

/** The role `tracking`. The HTTP server calls its edge before the web framework. */
@Module({
  providers: [
    { provide: TrackingMetrics, inject: [METRICS], useFactory: (registry: Registry) => new TrackingMetrics(registry) },
    {
      provide: TrackingEdge,
      inject: [SigningKeyRing, EventAppender, CLOCK, TrackingMetrics, SETTINGS],
      useFactory: (
        ring: SigningKeyRing,
        appender: EventAppender,
        clock: Clock,
        metrics: TrackingMetrics,
        settings: Settings,
      ) => new TrackingEdge(() => ring.current, appender, clock, metrics, settings.EVENTS_PER_EMAIL_PER_MINUTE),
    },
  ],
  exports: [TrackingEdge],
})
export class TrackingModule implements OnApplicationShutdown {
  constructor(private readonly edge: TrackingEdge) {}

  onApplicationShutdown(): void {
    this.edge.close();
  }
}
