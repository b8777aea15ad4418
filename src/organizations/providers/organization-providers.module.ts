import { Module } from '@nestjs/common';
import { ProviderStates } from '../../emails/sending-state/provider-state.js';
import { OutboundHttpModule } from '../../platform/outbound-http/outbound-http.module.js';
import { OrganizationsModule } from '../organizations.module.js';
import { CredentialsCheck } from './credentials-check.js';
import { OrganizationProvidersController } from './organization-providers.controller.js';
import { OrganizationProviders } from './organization-providers.js';

/** The routes with which an organization manages its own providers. */
@Module({
  imports: [OrganizationsModule, OutboundHttpModule],
  controllers: [OrganizationProvidersController],
  providers: [OrganizationProviders, CredentialsCheck, ProviderStates],
})
export class OrganizationProvidersModule {}
