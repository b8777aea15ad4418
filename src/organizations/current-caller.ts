import { createParamDecorator, type ExecutionContext } from '@nestjs/common';
import type { FastifyRequest } from 'fastify';
import { reserveForBody } from '../platform/http/json-bodies.js';
import type { Caller } from './api-key-authenticator.js';

declare module 'fastify' {
  interface FastifyRequest {
    /** Set by the key check on every route that needs a key. */
    caller?: Caller;
  }
}

/** Injects the caller of a request: `@CurrentCaller() caller: Caller`. */
export const CurrentCaller = createParamDecorator((_: unknown, context: ExecutionContext): Caller => {
  const request = context.switchToHttp().getRequest<FastifyRequest>();
  const { caller, raw, id: requestId } = request;
  if (!caller) throw new Error('This route is not behind the key guard');
  return {
    ...caller,
    requestId,
    hasGone: () => raw.socket.destroyed,
    reserve: (bytes) => reserveForBody(request, bytes),
  };
});
