import { Inject, Injectable } from '@nestjs/common';
import type { FastifyRequest } from 'fastify';
import { SETTINGS, type Settings } from '../../../platform/config/settings.js';
import { isSameSecret } from '../../../platform/encryption/secret-digest.js';
import { DomainError } from '../../../platform/errors/domain-error.js';
import { bearerTokenOf } from '../../../platform/http/bearer-token.js';
import type { RequestCheck } from '../../../platform/http/request-check.js';

class BounceRouteNotSetUpError extends DomainError {
  constructor() {
    super('not-found', 'Not found');
  }
}

class InvalidBounceSecretError extends DomainError {
  constructor() {
    super('unauthorized', 'Invalid or missing bearer token');
  }
}

/** Admits only mail servers of the operator, which know BOUNCE_INTAKE_SECRET (RFC 6750, 2.1). */
@Injectable()
export class BounceRequestCheck implements RequestCheck {
  constructor(@Inject(SETTINGS) private readonly settings: Pick<Settings, 'BOUNCE_INTAKE_SECRET'>) {}

  admit(request: FastifyRequest): void {
    const { BOUNCE_INTAKE_SECRET: secret } = this.settings;
    if (secret === undefined) throw new BounceRouteNotSetUpError();
    if (!isSameSecret(bearerTokenOf(request), secret)) throw new InvalidBounceSecretError();
  }
}
