import { Module } from '@nestjs/common';
import { ApiKeyAuthenticator } from './api-key-authenticator.js';
import { KeyRows } from './key-rows.js';
import { PresentedKeys } from './presented-keys.js';

/** Finds the caller of an API key; one cache per process. */
@Module({
  providers: [KeyRows, ApiKeyAuthenticator, PresentedKeys],
  exports: [ApiKeyAuthenticator, PresentedKeys],
})
export class KeyLookupModule {}
