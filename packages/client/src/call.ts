import type { UploadBody } from './upload.js';

export interface MailbeaconOptions {
  /** Address of the service, such as `https://mail.acme.example`; empty in a page served by the service itself. */
  readonly url: string;
  /** An API key, `mb_…`. Keep it on servers: anyone who has it can send mail. */
  readonly apiKey?: string | undefined;
  /** Headers of every request. */
  readonly headers?: Readonly<Record<string, string>>;
  /** How long one attempt may take, in milliseconds: 30,000 by default. Files always have at least ten minutes. */
  readonly timeoutMs?: number;
  /** How often a call is retried if that is safe: 3 by default. */
  readonly retries?: number;
  /** Replaces the `fetch` of the platform. */
  readonly fetch?: typeof fetch;
}

/** Options that every method accepts as its last argument. */
export interface CallOptions {
  /** Ends the call, and throws the reason of the signal. */
  readonly signal?: AbortSignal | undefined;
  /** How long one attempt of this call may take, also for a file. */
  readonly timeoutMs?: number;
  readonly retries?: number;
  /** Replace headers of the client with the same names, in any case. */
  readonly headers?: Readonly<Record<string, string>>;
}

type Value = string | number | boolean | null | undefined;

/** One call of a route. */
export interface Call {
  readonly method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  readonly path: string;
  readonly query?: Readonly<Record<string, Value>>;
  readonly body?: object;
  readonly upload?: UploadBody;
  readonly headers?: Readonly<Record<string, string>>;
  /** True if the call is idempotent. Always true for reads and deletions. */
  readonly isRepeatable?: boolean;
  /** The result of an earlier attempt, if that is why a repetition was refused with this status. */
  readonly earlierResult?: (status: number) => Promise<object | undefined>;
  /** The least time limit that the client may set for all calls. */
  readonly timeoutMs?: number;
  readonly options?: CallOptions | undefined;
}
