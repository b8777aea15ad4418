import { collectDefaultMetrics, Registry, type Metric } from 'prom-client';

/** Injection token of the process's metrics registry. */
export const METRICS = Symbol('metrics');

/** The sampler of Node cannot be left out, so it gets an interval of days: `EventLoopDelay` takes its place. */
const NEVER_MS = 2 ** 31 - 1;

/** They observe the process until it ends, so they are created once, and every registry of the process shows them. */
let processMetrics: readonly Metric[] | undefined;

/** Creates a registry with the default Node metrics: CPU, memory, garbage collection. */
export function createMetrics(): Registry {
  processMetrics ??= collectProcessMetrics();
  const registry = new Registry();
  for (const metric of processMetrics) registry.registerMetric(metric);
  return registry;
}

function collectProcessMetrics(): Metric[] {
  const register = new Registry();
  collectDefaultMetrics({ register, eventLoopMonitoringPrecision: NEVER_MS });
  return register.getMetricsAsArray() as unknown as Metric[];
}
