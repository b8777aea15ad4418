import { Module } from '@nestjs/common';
import type { Registry } from 'prom-client';
import { SigningKeyRing } from '../../../links/signing-key-ring.js';
import { CLOCK, type Clock } from '../../../platform/clock/clock.js';
import { SETTINGS, type RunSettings } from '../../../platform/config/settings.js';
import { METRICS } from '../../../platform/health/metrics.js';
import { EventAppender } from '../../stream/event-appender.js';
import { BounceIntake } from './bounce-intake.js';
import { BounceMetrics } from './bounce-metrics.js';

/** Providers that the SMTP listener and the HTTP route for bounces share. */
@Module({
  providers: [
    { provide: BounceMetrics, inject: [METRICS], useFactory: (registry: Registry) => new BounceMetrics(registry) },
    {
      provide: BounceIntake,
      inject: [SigningKeyRing, SETTINGS, EventAppender, BounceMetrics, CLOCK],
      useFactory: (
        ring: SigningKeyRing,
        { BOUNCE_DOMAIN = '' }: RunSettings,
        appender: EventAppender,
        metrics: BounceMetrics,
        clock: Clock,
      ) => new BounceIntake(() => ring.current, BOUNCE_DOMAIN, appender, metrics, clock),
    },
  ],
  exports: [BounceIntake, BounceMetrics],
})
export class BounceIntakeModule {}
