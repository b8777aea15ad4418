import { Module } from '@nestjs/common';
import { ApiKeys } from './api-keys.js';
import { KeyLookupModule } from './key-lookup.module.js';
import { Organizations } from './organizations.js';
import { Plans } from './plans.js';

@Module({
  imports: [KeyLookupModule],
  providers: [Plans, Organizations, ApiKeys],
  exports: [KeyLookupModule, Plans, Organizations, ApiKeys],
})
export class OrganizationsModule {}
