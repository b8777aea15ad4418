import type { SpanContext } from '@opentelemetry/api';

/** A UUID and a trace ID both have 16 bytes (W3C Trace Context, 3.2.2.3). */
export function traceIdOf(emailId: string): string {
  return emailId.replaceAll('-', '').toLowerCase();
}

/** The ID of a trace's first span is the random half of the email's ID, so every process can derive it. */
export function firstSpanIdOf(emailId: string): string {
  return traceIdOf(emailId).slice(16);
}

/** The first span as a remote parent. Trace flag 1 means sampled. */
export function firstSpanOf(emailId: string): SpanContext {
  return { traceId: traceIdOf(emailId), spanId: firstSpanIdOf(emailId), traceFlags: 1, isRemote: true };
}
