/** Injection token of the process's tracing. */
export const TRACING = Symbol('tracing');

export type SpanKind = 'server' | 'consumer' | 'client';

/** Only IDs, counts and values of closed sets. Personal data must not enter traces. */
type SpanFacts = Readonly<Record<string, string | number | boolean>>;

/** Adds attributes to a running span. */
export type AddFacts = (facts: SpanFacts) => void;

export interface SpanDescription {
  readonly emailId: string;
  readonly name: string;
  readonly kind: SpanKind;
  readonly facts?: SpanFacts;
}

/**
 * Traces an email through the processes that handle it. The trace ID is the email's ID, so jobs and rows carry no trace
 * context, and builds of different versions stay compatible.
 */
export interface Tracing {
  readonly on: boolean;
  /** Runs `work` as the first span of the email's trace, which began at `startedAt` by `performance.now()`. */
  begin<Result>(
    span: SpanDescription,
    startedAt: number,
    work: (addFacts: AddFacts) => Promise<Result>,
  ): Promise<Result>;
  /** Runs `work` as a child of the active span, or of the email's first span, even if that ran in another process. */
  follow<Result>(span: SpanDescription, work: (addFacts: AddFacts) => Promise<Result>): Promise<Result>;
  /** Sends the remaining spans. */
  stop(): Promise<void>;
}

const ignore: AddFacts = () => undefined;

/** No-op tracing, which costs only a function call. */
export const noTracing: Tracing = {
  on: false,
  begin: (_span, _startedAt, work) => work(ignore),
  follow: (_span, work) => work(ignore),
  stop: async () => undefined,
};
