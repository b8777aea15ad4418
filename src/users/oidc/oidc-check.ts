import { Injectable } from '@nestjs/common';
import type { FastifyRequest } from 'fastify';
import { clientNetwork } from '../../platform/addresses/client-network.js';
import { DomainError } from '../../platform/errors/domain-error.js';
import { ClientAddresses } from '../../platform/http/client-address.js';
import type { RequestCheck } from '../../platform/http/request-check.js';
import { OidcClient } from './oidc-client.js';
import { SignInLimits } from '../sign-in/sign-in-limits.js';

/** Limited, because each sign-in costs requests to the provider. */
const PER_NETWORK = { tokens: 60, windowMs: 10 * 60_000 };

class NoProviderError extends DomainError {
  constructor() {
    super('not-found', 'Not found');
  }
}

/** Admits requests for the OpenID provider if one is configured. */
@Injectable()
export class OidcCheck implements RequestCheck {
  constructor(
    private readonly client: OidcClient,
    private readonly limits: SignInLimits,
    private readonly clients: ClientAddresses,
  ) {}

  async admit(request: FastifyRequest): Promise<void> {
    if (!this.client.isOn) throw new NoProviderError();
    await this.limits.take(`oidc:${clientNetwork(this.clients.clientOfRequest(request.raw))}`, PER_NETWORK);
  }
}
