import { Injectable, type CanActivate, type ExecutionContext } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { DomainError } from '../errors/domain-error.js';
import { KeyDirectory } from '../organizations/key-directory.js';
import './caller.js';
import { RateLimits } from './rate-limits.js';

/** The same answer for a missing, malformed, unknown, wrong and revoked key: nothing can be learned from it. */
export class InvalidKeyError extends DomainError {
  constructor() {
    super('unauthorized', 'Invalid or missing API key');
  }
}

/** Lets a request pass whose `x-api-key` header carries a valid key that has not been used too often. */
@Injectable()
export class KeyGuard implements CanActivate {
  constructor(
    private readonly keys: KeyDirectory,
    private readonly limits: RateLimits,
  ) {}

  async canActivate(context: ExecutionContext): Promise<boolean> {
    const request = context.switchToHttp().getRequest<FastifyRequest>();
    const reply = context.switchToHttp().getResponse<FastifyReply>();
    const caller = hasOneKey(request) ? await this.keys.identify(request.headers['x-api-key'] as string) : undefined;
    if (!caller) {
      await this.limits.countWrongKey(request.ip);
      throw new InvalidKeyError();
    }
    await this.limits.countRequest(caller.keyId, reply);
    request.caller = caller;
    return true;
  }
}

/** Two keys in one request are a mistake or an attempt; Node joins repeated headers, so the raw ones are counted. */
function hasOneKey(request: FastifyRequest): boolean {
  const names = request.raw.rawHeaders.filter((_, index) => index % 2 === 0);
  return names.filter((name) => name.toLowerCase() === 'x-api-key').length === 1;
}
