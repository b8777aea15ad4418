import { Injectable, type Type } from '@nestjs/common';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { DomainError } from '../platform/errors/domain-error.js';
import { ApiKeyAuthenticator, type Caller } from './api-key-authenticator.js';
import './current-caller.js';
import { allowsClient, ForbiddenAddressError } from './key-limits.js';
import { MissingScopeError, scopeOf } from './key-scopes.js';
import { ClientAddresses } from '../platform/http/client-address.js';
import { RateLimits } from '../platform/http/rate-limits.js';
import type { RequestCheck } from '../platform/http/request-check.js';
import { WrongKeyLimits } from './wrong-key-limits.js';

/** Every route with this prefix requires a key, unless it has a check of its own. */
const API_PREFIX = '/api/';

/** The same response for a missing, malformed, unknown, wrong and revoked key, so that it reveals nothing. */
export class InvalidKeyError extends DomainError {
  constructor() {
    super('unauthorized', 'Invalid or missing API key');
  }
}

class SuspendedError extends DomainError {
  constructor(reason: string | null) {
    super('forbidden', `This organization is suspended: ${reason ?? 'ask the operator'}`);
  }
}

/** Authenticates requests and applies the rate limit of their organization. */
@Injectable()
export class KeyCheck implements RequestCheck {
  constructor(
    private readonly keys: ApiKeyAuthenticator,
    private readonly limits: RateLimits,
    private readonly wrongKeys: WrongKeyLimits,
    private readonly clients: ClientAddresses,
  ) {}

  /** Sets `request.caller`. @throws InvalidKeyError, TooManyRequestsError, SuspendedError, ForbiddenAddressError, MissingScopeError */
  async admit(request: FastifyRequest, reply: FastifyReply): Promise<void> {
    const client = this.clients.clientOfRequest(request.raw);
    const caller = await this.identify(request, client);
    await this.limits.countRequest(caller.organizationId, reply);
    if (caller.suspended) throw new SuspendedError(caller.pauseReason);
    if (!allowsClient(caller, client)) throw new ForbiddenAddressError();
    const scope = scopeOf(request.method, request.routeOptions.config.scope);
    if (!caller.scopes.includes(scope)) throw new MissingScopeError(scope);
    request.caller = caller;
  }

  private async identify(request: FastifyRequest, client: string): Promise<Caller> {
    // Checks the key first: a valid key passes even if other clients guess keys from behind the same load balancer.
    const caller = await this.keys.identify(keyOf(request), this.wrongKeys.isSuspect(client));
    if (caller) return caller;
    await this.wrongKeys.count(client);
    throw new InvalidKeyError();
  }
}

/**
 * Checks keys before the body is read, or what a route has instead of a key.
 * @param checkOf returns the provider of a class
 */
export function requireKeys(
  fastify: FastifyInstance,
  keys: KeyCheck,
  checkOf: (check: Type<RequestCheck>) => RequestCheck,
): void {
  fastify.addHook('onRequest', async (request, reply) => {
    const { url, config } = request.routeOptions;
    if (config.requestCheck) await checkOf(config.requestCheck).admit(request, reply);
    else if (url?.startsWith(API_PREFIX)) await keys.admit(request, reply);
  });
}

/**
 * Returns an empty text unless the request has exactly one key header; two are a mistake or an attack. Node joins
 * repeated headers, so this counts the raw ones.
 */
function keyOf({ raw, headers }: FastifyRequest): string {
  const names = raw.rawHeaders.filter((_, index) => index % 2 === 0);
  const count = names.filter((name) => name.toLowerCase() === 'x-api-key').length;
  return count === 1 ? (headers['x-api-key'] as string) : '';
}
