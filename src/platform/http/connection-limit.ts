import type { Server } from 'node:http';
import type { Logger } from '../logging/logger.js';
import type { HttpMetrics } from './http-metrics.js';

const LOG_INTERVAL_MS = 60_000;

/** Closes connections beyond the limit at once, so that what each costs cannot add up without end. */
export function limitConnections(server: Server, limit: number, logger: Logger, metrics: HttpMetrics): void {
  let loggedAt = -Infinity;
  server.maxConnections = limit;
  server.on('drop', () => {
    metrics.countRefusedConnection();
    const now = performance.now();
    if (now - loggedAt < LOG_INTERVAL_MS) return;
    loggedAt = now;
    logger.warn({ limit }, 'Connections are refused: MAX_CONNECTIONS are open');
  });
}
