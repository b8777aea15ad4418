import { Histogram, type Registry } from 'prom-client';

/** What an HTTP server tells Prometheus. The newest server of a process owns the name. */
export class HttpMetrics {
  private readonly duration: Histogram<'method' | 'route' | 'status'>;

  constructor(registry: Registry) {
    const name = 'mailbeacon_http_request_seconds';
    registry.removeSingleMetric(name);
    this.duration = new Histogram({
      name,
      help: 'Time to answer a request of the API, by pattern of its route and class of its status',
      labelNames: ['method', 'route', 'status'],
      buckets: [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 15],
      registers: [registry],
    });
  }

  /** @param route the pattern, never the URL: what callers make up must not become a label */
  recordAnswer(method: string, route: string, statusCode: number, milliseconds: number): void {
    const status = `${Math.trunc(statusCode / 100)}xx`;
    this.duration.observe({ method, route, status }, milliseconds / 1000);
  }
}
