import type { Registry } from 'prom-client';
import { ROLES, type Role } from '../../src/platform/config/settings.js';
import { TestService } from '../support/service.js';

/** One of our metrics, as processes of certain roles export it. */
export interface ExportedMetric {
  readonly name: string;
  readonly type: string;
  readonly help: string;
  readonly labels: readonly string[];
  readonly roles: readonly string[];
}

/** Collects all our metrics by starting one process for each role. */
export async function exportedMetrics(): Promise<ExportedMetric[]> {
  const exported = new Map<string, ExportedMetric>();
  // Nothing listens there, which the service must tolerate.
  const store = { EVENT_STORE_URL: 'http://127.0.0.1:9/events' };
  const bounces = { BOUNCE_DOMAIN: 'bounces.example.com', BOUNCE_SMTP_PORT: '0' };
  const extra: Partial<Record<Role, Record<string, string>>> = {
    ...{ bounces, flusher: store, smtp: { SUBMISSION_PORT: '0' } },
  };
  for (const role of ROLES) {
    const service = await TestService.start({ environment: { ROLES: role, ...extra[role] } });
    for (const metric of await metricsOf(service.metrics)) {
      const known = exported.get(metric.name)?.roles ?? [];
      exported.set(metric.name, { ...metric, roles: [...known, role] });
    }
    await service.stop();
  }
  return [...exported.values()].sort((one, other) => one.name.localeCompare(other.name));
}

async function metricsOf(registry: Registry): Promise<Omit<ExportedMetric, 'roles'>[]> {
  const described = await registry.getMetricsAsJSON();
  return described
    .filter(({ name }) => name.startsWith('mailbeacon_'))
    .map(({ name, help, type }) => {
      // The library does not export the names of labels that no series has yet.
      const { labelNames } = registry.getSingleMetric(name) as unknown as { labelNames: string[] };
      return { name, help, type: String(type), labels: labelNames.filter((label) => label !== 'le') };
    });
}
