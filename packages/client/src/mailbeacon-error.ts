import type { FieldProblem } from './api-types.js';

/** The details of a failed call. */
export interface Failure {
  readonly status: number;
  readonly message: string;
  readonly requestId: string;
  readonly details?: readonly FieldProblem[];
  readonly retryAfterMs?: number;
  readonly cause?: unknown;
}

/** A call that failed. A call that its caller aborts throws the reason of the caller's signal instead. */
export class MailbeaconError extends Error {
  override readonly name = 'MailbeaconError';
  /** Status of the response; 0 if there was none because the connection failed or timed out. */
  readonly status: number;
  /** The fields of the request that are wrong; often empty. */
  readonly details: readonly FieldProblem[];
  /** ID of the request in the logs of the service; empty for an error of `verifyWebhook`. */
  readonly requestId: string;
  /** How long the service asks to wait before the next attempt, in milliseconds. */
  readonly retryAfterMs: number | undefined;

  constructor({ status, message, requestId, details = [], retryAfterMs, cause }: Failure) {
    super(message, { cause });
    this.status = status;
    this.details = details;
    this.requestId = requestId;
    this.retryAfterMs = retryAfterMs;
  }
}
