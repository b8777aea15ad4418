import { Module } from '@nestjs/common';
import { ApiKeys } from './api-keys.js';
import { ApiKeyAuthenticator } from './api-key-authenticator.js';
import { KeyRows } from './key-rows.js';
import { Organizations } from './organizations.js';
import { Plans } from './plans.js';

@Module({
  providers: [Plans, Organizations, ApiKeys, KeyRows, ApiKeyAuthenticator],
  exports: [Plans, Organizations, ApiKeys, ApiKeyAuthenticator],
})
export class OrganizationsModule {}
