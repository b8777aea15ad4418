import { Module } from '@nestjs/common';
import { OrganizationsModule } from '../organizations/organizations.module.js';
import { DomainLimits } from './domain-limits.js';
import { Domains } from './domains.js';
import { DomainsController } from './domains.controller.js';
import { DomainsModule } from './domains.module.js';

/** Sending domain routes of the API. */
@Module({
  imports: [OrganizationsModule, DomainsModule],
  controllers: [DomainsController],
  providers: [DomainLimits, Domains],
})
export class DomainApiModule {}
