import { Catch, HttpException, Inject, type ArgumentsHost, type ExceptionFilter } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { isTransientDatabaseError } from '../database/transient-error.js';
import { DomainError, type DomainErrorKind, type FieldProblem } from '../errors/domain-error.js';
import { LOGGER, type Logger } from '../logging/logger.js';
import { bearerChallengeFor } from './bearer-token.js';
import { TooManyRequestsError } from './too-many-requests-error.js';
import { addRouteConfig } from './route-config.js';
import { statusMessageOf } from './status-messages.js';

/** Maps every kind of domain error to its HTTP status. */
const statusOfKind: Record<DomainErrorKind, number> = {
  invalid: 400,
  unauthorized: 401,
  forbidden: 403,
  'not-found': 404,
  timeout: 408,
  conflict: 409,
  'too-large': 413,
  'unsupported-body': 415,
  unprocessable: 422,
  'too-many-requests': 429,
  'delivery-failed': 500,
  unavailable: 503,
};

/** For errors that do not say when to try again. */
const UNAVAILABLE_SECONDS = 5;

export interface ErrorResponse {
  readonly status: number;
  readonly error: string;
  readonly details?: readonly FieldProblem[];
  readonly retryAfterSeconds?: number;
}

declare module 'fastify' {
  interface FastifyContextConfig {
    /** Writes the body of an error, if it differs from `{ error, details? }`. */
    errorBody?: ErrorBodyWriter;
  }
}

/** @param cause the error itself, which may be any value */
export type ErrorBodyWriter = (response: ErrorResponse, cause: unknown) => object;

/** For routes whose clients expect errors in a form of their own. */
export const WritesErrors = (errorBody: ErrorBodyWriter): MethodDecorator => addRouteConfig({ errorBody });

/** Turns errors into `{ error, details? }`. Logs unexpected errors and never shows them to the client. */
@Catch()
export class ErrorFilter implements ExceptionFilter {
  constructor(@Inject(LOGGER) private readonly logger: Logger) {}

  catch(error: unknown, host: ArgumentsHost): void {
    const request = host.switchToHttp().getRequest<FastifyRequest>();
    const reply = host.switchToHttp().getResponse<FastifyReply>();
    const response = this.responseTo(error, request.id);
    const { status, retryAfterSeconds, ...body } = response;
    const { errorBody, takesBearerToken } = request.routeOptions.config;
    if (retryAfterSeconds !== undefined) void reply.header('retry-after', retryAfterSeconds);
    if (status === 401 && takesBearerToken) void reply.header('www-authenticate', bearerChallengeFor(request));
    if (error instanceof TooManyRequestsError) void reply.headers(error.headers);
    void reply.status(status).send(errorBody ? errorBody(response, error) : body);
  }

  private responseTo(error: unknown, requestId: string): ErrorResponse {
    if (error instanceof DomainError) {
      const { kind, message, details } = error;
      const retryAfterSeconds = error.retryAfterSeconds ?? (kind === 'unavailable' ? UNAVAILABLE_SECONDS : undefined);
      return { status: statusOfKind[kind], error: message, ...(details && { details }), retryAfterSeconds };
    }
    const status = statusOfHttpError(error);
    if (status !== undefined) return { status, error: statusMessageOf(status) };
    if (isTransientDatabaseError(error)) {
      this.logger.warn({ requestId, err: error }, 'Postgres is not available');
      const message = 'The service is temporarily unavailable, please try again';
      return { status: 503, error: message, retryAfterSeconds: UNAVAILABLE_SECONDS };
    }
    this.logger.error({ requestId, err: error }, 'Unexpected error');
    return { status: 500, error: `Something went wrong on our side (request ${requestId})` };
  }
}

function statusOfHttpError(error: unknown): number | undefined {
  if (error instanceof HttpException) return error.getStatus();
  const status = (error as { statusCode?: unknown } | null)?.statusCode;
  return typeof status === 'number' && status >= 400 && status < 500 ? status : undefined;
}
