import { Counter, Gauge, Histogram, type Registry } from 'prom-client';

/** Prometheus metrics of an HTTP server. If a process has several servers, the newest one registers the names. */
export class HttpMetrics {
  private readonly duration: Histogram<'method' | 'route' | 'status'>;
  private readonly refusedConnections: Counter;

  constructor(private readonly registry: Registry) {
    const name = 'mailbeacon_http_request_seconds';
    registry.removeSingleMetric(name);
    this.duration = new Histogram({
      name,
      help: 'Response time of API requests, by route pattern and status class',
      labelNames: ['method', 'route', 'status'],
      buckets: [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 15],
      registers: [registry],
    });
    const refused = 'mailbeacon_http_refused_connections_total';
    registry.removeSingleMetric(refused);
    this.refusedConnections = new Counter({
      name: refused,
      help: 'Connections closed immediately because MAX_CONNECTIONS were open',
      registers: [registry],
    });
  }

  countRefusedConnection(): void {
    this.refusedConnections.inc();
  }

  observeBodies(budget: { readonly held: number; readonly limit: number }): void {
    const name = 'mailbeacon_http_body_bytes';
    this.registry.removeSingleMetric(name);
    new Gauge({
      name,
      help: 'Memory held by request bodies in progress and by unread responses, and the limit beyond which requests get 503',
      labelNames: ['kind'],
      registers: [this.registry],
      collect() {
        this.set({ kind: 'held' }, budget.held);
        this.set({ kind: 'limit' }, budget.limit);
      },
    });
  }

  /** @param route the pattern, never the URL: client input must not become a label */
  recordResponse(method: string, route: string, statusCode: number, milliseconds: number): void {
    const status = `${Math.trunc(statusCode / 100)}xx`;
    this.duration.observe({ method, route, status }, milliseconds / 1000);
  }
}
