import type { Server } from 'node:http';
import type { Logger } from '../logging/logger.js';
import type { HttpMetrics } from './http-metrics.js';

const LOG_INTERVAL_MS = 60_000;

/** Closes connections beyond the limit at once, which bounds the memory that connections use. */
export function limitConnections(server: Server, limit: number, logger: Logger, metrics: HttpMetrics): void {
  let loggedAt = -Infinity;
  server.maxConnections = limit;
  server.on('drop', () => {
    metrics.countRefusedConnection();
    const now = performance.now();
    if (now - loggedAt < LOG_INTERVAL_MS) return;
    loggedAt = now;
    logger.warn({ limit }, 'Refusing connections: MAX_CONNECTIONS are open');
  });
}
