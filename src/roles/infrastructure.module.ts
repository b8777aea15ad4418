import { Global, Module, type DynamicModule } from '@nestjs/common';
import type { Registry } from 'prom-client';
import { CLOCK, MONOTONIC_CLOCK, type Clock } from '../platform/clock/clock.js';
import { SETTINGS, type RunSettings } from '../platform/config/settings.js';
import { Database } from '../platform/database/database.js';
import { POSTGRES_CLOCK } from '../platform/database/postgres-clock.js';
import { HealthController } from '../platform/health/health.controller.js';
import { Liveness } from '../platform/health/liveness.js';
import { METRICS } from '../platform/health/metrics.js';
import { Readiness } from '../platform/health/readiness.js';
import { LOGGER, type Logger } from '../platform/logging/logger.js';
import { REDIS, type RedisConnection } from '../platform/redis/connect.js';
import type { RedisPolicy } from '../platform/redis/redis-policy.js';
import { WriteProbe } from '../platform/redis/write-probe.js';
import { TRACING, type Tracing } from '../platform/tracing/tracing.js';

/** Resources that a process opens before Nest starts and closes after Nest has stopped. */
export interface Infrastructure {
  readonly settings: RunSettings;
  readonly logger: Logger;
  readonly clock: Clock;
  /** The clock for times that only this process compares. */
  readonly monotonicClock: Clock;
  /** The clock for stored times. */
  readonly postgresClock: Clock;
  readonly metrics: Registry;
  readonly database: Database;
  readonly redis: RedisConnection;
  readonly redisPolicy: RedisPolicy;
  readonly writeProbe: WriteProbe;
  readonly tracing: Tracing;
}

/** Provides the resources that all roles share. */
@Global()
@Module({})
export class InfrastructureModule {
  static on(infrastructure: Infrastructure): DynamicModule {
    const { settings, logger, metrics, database, redis, writeProbe, tracing } = infrastructure;
    const { clock, monotonicClock, postgresClock } = infrastructure;
    const provided = [
      { provide: SETTINGS, useValue: settings },
      { provide: LOGGER, useValue: logger },
      { provide: CLOCK, useValue: clock },
      { provide: MONOTONIC_CLOCK, useValue: monotonicClock },
      { provide: POSTGRES_CLOCK, useValue: postgresClock },
      { provide: Database, useValue: database },
      { provide: REDIS, useValue: redis },
      { provide: WriteProbe, useValue: writeProbe },
      { provide: TRACING, useValue: tracing },
      { provide: METRICS, useValue: metrics },
      Readiness,
      Liveness,
    ];
    return { module: InfrastructureModule, controllers: [HealthController], providers: provided, exports: provided };
  }
}
