import type { FastifyRequest } from 'fastify';
import { addRouteConfig } from './route-config.js';

declare module 'fastify' {
  interface FastifyContextConfig {
    takesBearerToken?: boolean;
  }
}

const BEARER = /^Bearer +(\S+) *$/i;

/** The header WWW-Authenticate of a 401 for a request without a token (RFC 6750, 3). */
export const BEARER_CHALLENGE = 'Bearer realm="Mailbeacon"';

/** For routes whose clients authenticate with a bearer token: each 401 has a challenge (RFC 9110, 11.6.1). */
export const TakesBearerToken = (): MethodDecorator => addRouteConfig({ takesBearerToken: true });

/** The token of a request (RFC 6750, 2.1); empty if it has none. */
export function bearerTokenOf({ headers }: Pick<FastifyRequest, 'headers'>): string {
  return BEARER.exec(headers.authorization ?? '')?.[1] ?? '';
}

/** The challenge in the 401 for a request. */
export function bearerChallengeFor(request: Pick<FastifyRequest, 'headers'>): string {
  return bearerTokenOf(request) === '' ? BEARER_CHALLENGE : `${BEARER_CHALLENGE}, error="invalid_token"`;
}
