import { Module } from '@nestjs/common';
import { OrganizationsModule } from '../organizations/organizations.module.js';
import { DomainLimits } from './domain-limits.js';
import { Domains } from './domains.js';
import { DomainsController } from './domains.controller.js';
import { DomainsModule } from './domains.module.js';
import { TrackingDomains } from './tracking/tracking-domains.js';
import { TrackingDomainsController } from './tracking/tracking-domains.controller.js';

/** The routes of sending domains and tracking domains. */
@Module({
  imports: [OrganizationsModule, DomainsModule],
  controllers: [DomainsController, TrackingDomainsController],
  providers: [DomainLimits, Domains, TrackingDomains],
})
export class DomainApiModule {}
