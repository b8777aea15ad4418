import { Global, Module, type OnApplicationShutdown } from '@nestjs/common';
import { RenderingPool } from './rendering-pool.js';

/** One pool of rendering threads per process; its threads start with the first large document. */
@Global()
@Module({
  providers: [{ provide: RenderingPool, useFactory: () => new RenderingPool() }],
  exports: [RenderingPool],
})
export class RenderingModule implements OnApplicationShutdown {
  constructor(private readonly pool: RenderingPool) {}

  async onApplicationShutdown(): Promise<void> {
    await this.pool.close();
  }
}
