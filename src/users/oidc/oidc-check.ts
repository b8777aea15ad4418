import { Injectable } from '@nestjs/common';
import { DomainError } from '../../platform/errors/domain-error.js';
import type { RequestCheck } from '../../platform/http/request-check.js';
import { OidcClient } from './oidc-client.js';

class NoProviderError extends DomainError {
  constructor() {
    super('not-found', 'Not found');
  }
}

/** Admits requests for the OpenID provider if one is configured. */
@Injectable()
export class OidcCheck implements RequestCheck {
  constructor(private readonly client: OidcClient) {}

  admit(): void {
    if (!this.client.isOn) throw new NoProviderError();
  }
}
