import type { SpanContext } from '@opentelemetry/api';

/** 16 bytes both, a UUID and the id of a trace (W3C Trace Context, 3.2.2.3). */
export function traceIdOf(emailId: string): string {
  return emailId.replaceAll('-', '').toLowerCase();
}

/** The id of a trace's first span: the random half of the email's id, so that every process knows it. */
export function firstSpanIdOf(emailId: string): string {
  return traceIdOf(emailId).slice(16);
}

/** The first span as other processes see it; 1 stands for sampled. */
export function firstSpanOf(emailId: string): SpanContext {
  return { traceId: traceIdOf(emailId), spanId: firstSpanIdOf(emailId), traceFlags: 1, isRemote: true };
}
