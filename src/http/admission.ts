import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import type { RunSettings } from '../config/settings.js';
import { BodyBudget, bodyBytesLimit } from './body-budget.js';
import { LARGEST_BODY_BYTES } from './body-limits.js';
import { BodyPipe } from './body.pipe.js';
import type { HttpMetrics } from './http-metrics.js';
import { acceptJsonBodies } from './json-bodies.js';
import { KeyCheck, requireKeys } from './key-check.js';

/** What a request to the API passes before its route is called: its key, its body, the fields of its body. */
export function admitRequests(app: NestFastifyApplication, settings: RunSettings, metrics: HttpMetrics): void {
  const fastify = app.getHttpAdapter().getInstance();
  const budget = new BodyBudget(bodyBytesLimit(settings), LARGEST_BODY_BYTES);
  metrics.observeBodies(budget);
  requireKeys(fastify, app.get(KeyCheck, { strict: false }));
  acceptJsonBodies(fastify, budget);
  app.useGlobalPipes(new BodyPipe());
}
