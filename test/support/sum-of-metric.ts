import type { Registry } from 'prom-client';

/** The sum of all series of a metric that have these labels. */
export async function sumOfMetric(metrics: Registry, metric: string, labels: Record<string, string>): Promise<number> {
  const { values } = await metrics.getSingleMetric(metric)!.get();
  const fits = (of: object) => Object.entries(labels).every(([name, value]) => (of as typeof labels)[name] === value);
  return values.filter((one) => fits(one.labels)).reduce((sum, { value }) => sum + value, 0);
}
