import type { RunSettings } from '../config/settings.js';
import { noTracing, type Tracing } from './tracing.js';

/** Tracing to the collector that the settings name; without one, nothing of it is even loaded. */
export async function openTracing(settings: RunSettings): Promise<Tracing> {
  const { OTEL_EXPORTER_OTLP_ENDPOINT, OTEL_TRACES_SAMPLER_ARG, ROLES } = settings;
  if (OTEL_EXPORTER_OTLP_ENDPOINT === undefined) return noTracing;
  const { OtlpTracing } = await import('./otlp-tracing.js');
  return new OtlpTracing(OTEL_EXPORTER_OTLP_ENDPOINT, OTEL_TRACES_SAMPLER_ARG, ROLES);
}
