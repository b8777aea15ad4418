import { Global, Module, type OnApplicationShutdown } from '@nestjs/common';
import type { Registry } from 'prom-client';
import { METRICS } from '../platform/health/metrics.js';
import { RenderingMetrics } from './rendering-metrics.js';
import { RenderingPool } from './rendering-pool.js';

/** One pool of rendering threads per process. Its threads start with the first large document. */
@Global()
@Module({
  providers: [
    {
      provide: RenderingPool,
      inject: [METRICS],
      useFactory: (registry: Registry) => new RenderingPool({}, new RenderingMetrics(registry)),
    },
  ],
  exports: [RenderingPool],
})
export class RenderingModule implements OnApplicationShutdown {
  constructor(private readonly pool: RenderingPool) {}

  async onApplicationShutdown(): Promise<void> {
    await this.pool.close();
  }
}
