import { collectDefaultMetrics, Registry } from 'prom-client';

/** Injection token of the process's metrics registry. */
export const METRICS = Symbol('metrics');

/** Creates a registry with the default Node metrics: CPU, memory, event loop delay, garbage collection. */
export function createMetrics(): Registry {
  const registry = new Registry();
  collectDefaultMetrics({ register: registry });
  return registry;
}
