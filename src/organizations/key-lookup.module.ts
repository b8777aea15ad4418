import { Module } from '@nestjs/common';
import { ApiKeyAuthenticator } from './api-key-authenticator.js';
import { KeyRows } from './key-rows.js';

/** Finds the caller of an API key; one cache per process. */
@Module({ providers: [KeyRows, ApiKeyAuthenticator], exports: [ApiKeyAuthenticator] })
export class KeyLookupModule {}
