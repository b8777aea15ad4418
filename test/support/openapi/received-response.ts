/** What a client receives. */
export interface ReceivedResponse {
  readonly status: number;
  readonly headers: Headers;
  /** Undefined if there is none. */
  readonly body: unknown;
}

/** The body of a response that was sent from a stream. Its content is not checked. */
export const STREAMED = Symbol('streamed body');
