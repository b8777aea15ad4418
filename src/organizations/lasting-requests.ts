import type { FastifyContextConfig, FastifyReply, FastifyRequest } from 'fastify';
import { DomainError } from '../platform/errors/domain-error.js';

/** With the seconds for which processes know keys, this ends a request within 5 seconds of a revocation. */
const RECHECK_MS = 1_000;

/** True for uploads and downloads, which may take minutes. Live connections check their callers themselves. */
export function mayLast({ streams, maxResponseMs, isEventStream }: FastifyContextConfig): boolean {
  return streams !== undefined || (maxResponseMs !== undefined && !isEventStream);
}

/**
 * Closes the connection of a request once its caller would not be admitted any more. Keys and sessions are cached for a
 * few seconds, so this rarely costs a query.
 * @param recheck rejects with the reason
 */
export function endWithCaller(
  request: FastifyRequest,
  reply: FastifyReply,
  recheck: (request: FastifyRequest) => Promise<void>,
): void {
  const check = async (): Promise<void> => {
    try {
      await recheck(request);
    } catch (error) {
      // Without Postgres nothing is known, and nothing happens either.
      if (error instanceof DomainError && error.kind !== 'unavailable') request.raw.socket.destroy();
    }
  };
  const timer = setInterval(() => void check(), RECHECK_MS).unref();
  reply.raw.once('close', () => clearInterval(timer));
}
