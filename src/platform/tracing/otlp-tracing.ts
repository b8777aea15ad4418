import { AsyncLocalStorage } from 'node:async_hooks';
import {
  ROOT_CONTEXT,
  SpanKind as OtelSpanKind,
  SpanStatusCode,
  trace,
  type Context,
  type Span,
} from '@opentelemetry/api';
import { OTLPTraceExporter } from '@opentelemetry/exporter-trace-otlp-http';
import { resourceFromAttributes } from '@opentelemetry/resources';
import {
  BasicTracerProvider,
  BatchSpanProcessor,
  RandomIdGenerator,
  TraceIdRatioBasedSampler,
  type IdGenerator,
} from '@opentelemetry/sdk-trace-base';
import { withDeadline } from '../clock/with-deadline.js';
import { firstSpanIdOf, firstSpanOf, traceIdOf } from './email-trace.js';
import type { AddFacts, SpanDescription, SpanKind, Tracing } from './tracing.js';

const kinds: Record<SpanKind, OtelSpanKind> = {
  server: OtelSpanKind.SERVER,
  consumer: OtelSpanKind.CONSUMER,
  client: OtelSpanKind.CLIENT,
};

const STOP_TIMEOUT_MS = 2_000;

/** Sends spans by OTLP over HTTP. The sampling decision follows from the email's ID, so it is the same everywhere. */
export class OtlpTracing implements Tracing {
  readonly on = true;
  private readonly ids = new EmailIds();
  private readonly provider: BasicTracerProvider;
  private readonly running = new AsyncLocalStorage<Context>();

  /**
   * @param endpoint base URL of the collector, without the path for traces
   * @param ratio fraction of emails to trace, 0 to 1
   */
  constructor(endpoint: string, ratio: number, roles: readonly string[]) {
    this.provider = new BasicTracerProvider({
      resource: resourceFromAttributes({ 'service.name': 'mailbeacon', 'mailbeacon.roles': roles.join(',') }),
      sampler: new TraceIdRatioBasedSampler(ratio),
      idGenerator: this.ids,
      spanProcessors: [new BatchSpanProcessor(new OTLPTraceExporter({ url: `${endpoint}/v1/traces` }))],
    });
  }

  begin<Result>(
    span: SpanDescription,
    startedAt: number,
    work: (addFacts: AddFacts) => Promise<Result>,
  ): Promise<Result> {
    const started = this.ids.forFirstSpanOf(span.emailId, () => this.start(span, ROOT_CONTEXT, startedAt));
    return this.run(started, ROOT_CONTEXT, work);
  }

  follow<Result>(span: SpanDescription, work: (addFacts: AddFacts) => Promise<Result>): Promise<Result> {
    const parent = this.parentOf(span.emailId);
    return this.run(this.start(span, parent), parent, work);
  }

  /** Has a short timeout: a collector that is down must not delay the shutdown. */
  async stop(): Promise<void> {
    await withDeadline(STOP_TIMEOUT_MS, this.provider.shutdown()).catch(() => undefined);
  }

  /** The active span may belong to another email of the same batch. Only a span of this email's trace is a parent. */
  private parentOf(emailId: string): Context {
    const running = this.running.getStore();
    const isOurs = running && trace.getSpanContext(running)?.traceId === traceIdOf(emailId);
    return isOurs ? running : trace.setSpanContext(ROOT_CONTEXT, firstSpanOf(emailId));
  }

  private start({ emailId, name, kind, facts }: SpanDescription, parent: Context, startTime?: number): Span {
    const attributes = { 'mailbeacon.email_id': emailId, ...facts };
    const options = { kind: kinds[kind], attributes, ...(startTime !== undefined && { startTime }) };
    return this.provider.getTracer('mailbeacon').startSpan(name, options, parent);
  }

  private async run<Result>(
    span: Span,
    parent: Context,
    work: (addFacts: AddFacts) => Promise<Result>,
  ): Promise<Result> {
    const addFacts: AddFacts = (facts) => void span.setAttributes(facts);
    try {
      return await this.running.run(trace.setSpan(parent, span), () => work(addFacts));
    } catch (error) {
      // Only the name: messages can quote personal data.
      span.setStatus({ code: SpanStatusCode.ERROR, message: error instanceof Error ? error.name : 'error' });
      throw error;
    } finally {
      span.end();
    }
  }
}

/** Generates random IDs, except for the first span of an email's trace. */
class EmailIds implements IdGenerator {
  private readonly random = new RandomIdGenerator();
  private emailId: string | undefined;

  /** Spans start synchronously, so no other span can take these IDs. */
  forFirstSpanOf(emailId: string, start: () => Span): Span {
    this.emailId = emailId;
    try {
      return start();
    } finally {
      this.emailId = undefined;
    }
  }

  generateTraceId = (): string =>
    this.emailId === undefined ? this.random.generateTraceId() : traceIdOf(this.emailId);

  generateSpanId = (): string =>
    this.emailId === undefined ? this.random.generateSpanId() : firstSpanIdOf(this.emailId);
}
