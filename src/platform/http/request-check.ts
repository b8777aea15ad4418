import type { Type } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { addRouteConfig } from './route-config.js';

/** Media types of bodies that handlers read themselves. */
export type RawMediaType = 'application/json' | 'message/rfc822' | 'text/plain';

/** A body that a handler reads itself. */
export interface RawBody {
  readonly mediaType: RawMediaType;
  readonly maxBytes: number;
}

declare module 'fastify' {
  interface FastifyContextConfig {
    /** Replaces the check of the API key. */
    requestCheck?: Type<RequestCheck>;
    /** The handler gets the bytes of a body of this media type as a Buffer, unparsed. */
    rawBody?: RawMediaType;
  }
  interface FastifyRequest {
    /** Set by a check that knows more about the body than the route that `TakesRawBody`. */
    rawBody?: RawBody;
  }
}

/** Decides from a request's headers whether it may pass. Runs before the body is read. */
export interface RequestCheck {
  /** @throws DomainError to refuse the request */
  admit(request: FastifyRequest, reply: FastifyReply): Promise<void> | void;
}

/** For routes whose callers have neither a key nor a session yet. @param check a provider of the controller's module */
export const CheckedBy = (check: Type<RequestCheck>): MethodDecorator => addRouteConfig({ requestCheck: check });

/**
 * For routes whose callers have no API key. Their handler verifies the bytes of the body itself.
 * @param check a provider of the controller's module
 */
export const TakesRawBody = (
  check: Type<RequestCheck>,
  { mediaType: rawBody, maxBytes: maxBodyBytes }: RawBody,
): MethodDecorator => addRouteConfig({ requestCheck: check, rawBody, maxBodyBytes });

const NO_BODY = Buffer.alloc(0);

/** The bytes of the body on a route that `TakesRawBody`; none for another media type. */
export function rawBodyOf({ body }: FastifyRequest): Buffer {
  return Buffer.isBuffer(body) ? body : NO_BODY;
}
