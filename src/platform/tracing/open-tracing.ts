import type { RunSettings } from '../config/settings.js';
import { noTracing, type Tracing } from './tracing.js';

/** Opens tracing to the configured collector. Without one, the tracing libraries are not loaded. */
export async function openTracing(settings: RunSettings): Promise<Tracing> {
  const { OTEL_EXPORTER_OTLP_ENDPOINT, OTEL_TRACES_SAMPLER_ARG, ROLES } = settings;
  if (OTEL_EXPORTER_OTLP_ENDPOINT === undefined) return noTracing;
  const { OtlpTracing } = await import('./otlp-tracing.js');
  return new OtlpTracing(OTEL_EXPORTER_OTLP_ENDPOINT, OTEL_TRACES_SAMPLER_ARG, ROLES);
}
