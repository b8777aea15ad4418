import { collectDefaultMetrics, Registry } from 'prom-client';

/** Injection token of the process's metrics registry. */
export const METRICS = Symbol('metrics');

/** The sampler of Node cannot be left out, so it gets an interval of days: `EventLoopDelay` takes its place. */
const NEVER_MS = 2 ** 31 - 1;

/** Creates a registry with the default Node metrics: CPU, memory, garbage collection. */
export function createMetrics(): Registry {
  const registry = new Registry();
  collectDefaultMetrics({ register: registry, eventLoopMonitoringPrecision: NEVER_MS });
  return registry;
}
