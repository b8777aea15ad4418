import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import type { HttpServerOptions } from '../platform/http/http-server.js';
import { TrackingEdge } from './tracking/tracking-edge.js';
import { TRACKING_PREFIX } from './tracking/tracking-paths.js';
import { UnsubscribeEdge } from './tracking/unsubscribe/unsubscribe-edge.js';

/** Passes requests of readers to the role `tracking` before routing, once its application has started. */
export class EdgeRequests {
  private tracking: TrackingEdge | undefined;
  private unsubscribing: UnsubscribeEdge | undefined;

  readonly handlers: Pick<HttpServerOptions, 'fastPath' | 'beforeRouting'> = {
    fastPath: {
      prefix: TRACKING_PREFIX,
      handle: (method, url, reply, head) => this.tracking?.handle(method, url, reply, head) ?? false,
    },
    beforeRouting: (request, response) => this.unsubscribing?.handle(request, response) ?? false,
  };

  open(app: NestFastifyApplication): void {
    this.tracking = app.get(TrackingEdge, { strict: false });
    this.unsubscribing = app.get(UnsubscribeEdge, { strict: false });
  }
}
