import { createHash } from 'node:crypto';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { InvalidFieldError } from '../../platform/errors/domain-error.js';

/** A request that its client may repeat safely. */
export interface IdempotentRequest {
  readonly key: string;
  /** Identifies the request: its route and its body. */
  readonly requestHash: Buffer;
  /** Called before a stored response is replayed. */
  readonly markReplayed: () => void;
}

// eslint-disable-next-line no-control-regex
const KEY = /^[^\u0000-\u001f\u007f]{1,256}$/;

/** @param body the validated request; unknown fields make no difference */
export function readIdempotency(
  request: FastifyRequest,
  reply: FastifyReply,
  body: object,
): IdempotentRequest | undefined {
  const key = request.headers['idempotency-key'];
  if (key === undefined) return undefined;
  if (typeof key !== 'string' || !KEY.test(key)) {
    throw new InvalidFieldError('Idempotency-Key', 'must have 1 to 256 characters, none of them a control character');
  }
  return {
    key,
    requestHash: createHash('sha256')
      .update(JSON.stringify([request.routeOptions.url, body]))
      .digest(),
    markReplayed: () => void reply.header('idempotent-replayed', 'true'),
  };
}
