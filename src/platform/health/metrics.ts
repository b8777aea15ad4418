import { collectDefaultMetrics, Registry } from 'prom-client';

/** Injection token of the process's metrics registry. */
export const METRICS = Symbol('metrics');

/** A registry with what every Node process tells: CPU, memory, event loop delay, garbage collection. */
export function createMetrics(): Registry {
  const registry = new Registry();
  collectDefaultMetrics({ register: registry });
  return registry;
}
