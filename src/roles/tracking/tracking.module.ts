import { Module, type OnApplicationShutdown } from '@nestjs/common';
import type { Registry } from 'prom-client';
import { CLOCK, type Clock } from '../../platform/clock/clock.js';
import { SETTINGS, type Settings } from '../../platform/config/settings.js';
import { METRICS } from '../../platform/health/metrics.js';
import { BlockingMetrics } from '../../links/blocking/blocking-metrics.js';
import { TrackingHosts } from '../../domains/tracking/tracking-hosts.js';
import { LinkBlocking } from '../../links/blocking/link-blocking.js';
import { SigningKeyRing } from '../../links/signing-key-ring.js';
import { EventAppender } from '../../events/stream/event-appender.js';
import { RequestClassifier } from '../../events/classification/classify-request.js';
import { readScannerNetworks } from '../../events/classification/scanner-networks.js';
import { ClientAddresses } from '../../platform/http/client-address.js';
import { HitVerdicts } from './hit-verdicts.js';
import { TrackingEdge } from './tracking-edge.js';
import { TrackingMetrics } from './tracking-metrics.js';
import { UnsubscribeEdge } from './unsubscribe/unsubscribe-edge.js';
import { UnsubscribeMetrics } from './unsubscribe/unsubscribe-metrics.js';

/** The role `tracking`. The HTTP server calls its edges before the web framework. */
@Module({
  providers: [
    BlockingMetrics,
    LinkBlocking,
    TrackingHosts,
    { provide: TrackingMetrics, inject: [METRICS], useFactory: (registry: Registry) => new TrackingMetrics(registry) },
    {
      provide: TrackingEdge,
      inject: [SigningKeyRing, EventAppender, CLOCK, TrackingMetrics, SETTINGS, LinkBlocking, TrackingHosts],
      useFactory: (
        ring: SigningKeyRing,
        appender: EventAppender,
        clock: Clock,
        metrics: TrackingMetrics,
        settings: Settings,
        blocking: LinkBlocking,
        hosts: TrackingHosts,
      ) =>
        new TrackingEdge(() => ring.current, appender, clock, metrics, {
          verdicts: hitVerdicts(settings),
          blocking,
          hosts,
          singlePerMinute: settings.EVENTS_PER_EMAIL_PER_MINUTE,
        }),
    },
    {
      provide: UnsubscribeMetrics,
      inject: [METRICS],
      useFactory: (registry: Registry) => new UnsubscribeMetrics(registry),
    },
    {
      provide: UnsubscribeEdge,
      inject: [SigningKeyRing, EventAppender, CLOCK, UnsubscribeMetrics, TrackingHosts],
      useFactory: (
        ring: SigningKeyRing,
        appender: EventAppender,
        clock: Clock,
        metrics: UnsubscribeMetrics,
        hosts: TrackingHosts,
      ) => new UnsubscribeEdge(() => ring.current, appender, clock, metrics, hosts),
    },
  ],
  exports: [TrackingEdge, UnsubscribeEdge],
})
export class TrackingModule implements OnApplicationShutdown {
  constructor(private readonly edge: TrackingEdge) {}

  onApplicationShutdown(): void {
    this.edge.close();
  }
}

function hitVerdicts({ SCANNER_NETWORKS_FILE, TRUSTED_PROXIES }: Settings): HitVerdicts {
  const classifier = new RequestClassifier(readScannerNetworks(SCANNER_NETWORKS_FILE));
  return new HitVerdicts(classifier, new ClientAddresses(TRUSTED_PROXIES));
}
