import { Module } from '@nestjs/common';
import { ApiKeyAuthenticator } from './api-key-authenticator.js';
import { KeyRows } from './key-rows.js';
import { Organizations } from './organizations.js';
import { Plans } from './plans.js';

@Module({
  providers: [Plans, Organizations, KeyRows, ApiKeyAuthenticator],
  exports: [Plans, Organizations, ApiKeyAuthenticator],
})
export class OrganizationsModule {}
