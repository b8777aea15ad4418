import { collectDefaultMetrics, Registry } from 'prom-client';

/** Injection token of the process's metrics registry. */
export const METRICS = Symbol('metrics');

/** Creates a registry with the default Node metrics: CPU, memory, event loop delay, garbage collection. */
export function createMetrics(): Registry {
  const registry = new Registry();
  // The default of 10 ms wakes an idle process a hundred times a second. The lag includes this interval.
  collectDefaultMetrics({ register: registry, eventLoopMonitoringPrecision: 50 });
  return registry;
}
