/** Injection token of the process's tracing. */
export const TRACING = Symbol('tracing');

export type SpanKind = 'server' | 'consumer' | 'client';

/** Only ids, counts and words from closed sets: what people entrust to us has no place in traces. */
type SpanFacts = Readonly<Record<string, string | number | boolean>>;

/** Adds what became known while the span ran. */
export type Note = (facts: SpanFacts) => void;

export interface SpanDescription {
  readonly emailId: string;
  readonly name: string;
  readonly kind: SpanKind;
  readonly facts?: SpanFacts;
}

/**
 * Follows an email through the processes that handle it. The trace of an email is its id, so that whoever knows the id
 * knows the trace: nothing travels with jobs and rows, and no build trips over another's.
 */
export interface Tracing {
  readonly on: boolean;
  /** Runs `work` as the first span of the email's trace, which began at `startedAt` by `performance.now()`. */
  begin<Result>(span: SpanDescription, startedAt: number, work: (note: Note) => Promise<Result>): Promise<Result>;
  /** Runs `work` as a span below the one that runs, or else below the first one, wherever that ran. */
  follow<Result>(span: SpanDescription, work: (note: Note) => Promise<Result>): Promise<Result>;
  /** Sends what has not been sent yet. */
  stop(): Promise<void>;
}

const ignore: Note = () => undefined;

/** What a process uses that is not to be traced: it costs a call. */
export const noTracing: Tracing = {
  on: false,
  begin: (_span, _startedAt, work) => work(ignore),
  follow: (_span, work) => work(ignore),
  stop: async () => undefined,
};
