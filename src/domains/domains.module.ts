import { Module } from '@nestjs/common';
import { SETTINGS, type Settings } from '../platform/config/settings.js';
import { DnsLookups } from '../platform/dns/dns-lookups.js';
import { createSenderAuthentication } from '../providers/create-sender-authentication.js';
import { DkimKeyGenerator } from './dkim-key-generator.js';
import { DomainDnsCheck, SENDER_AUTHENTICATION } from './domain-dns-check.js';
import { DomainMetrics } from './domain-metrics.js';
import { DomainRechecks } from './domain-rechecks.js';
import { DomainVerification } from './domain-verification.js';
import { DueRechecks } from './due-rechecks.js';
import { ProviderDomainRemovals } from './provider-domain-removals.js';
import { SenderDomains } from './sender-domains.js';
import { ServiceHosts } from './tracking/service-hosts.js';
import { TrackingBaseUrls } from './tracking/tracking-base-urls.js';
import { TrackingDnsCheck } from './tracking/tracking-dns-check.js';
import { TrackingDomainMetrics } from './tracking/tracking-domain-metrics.js';
import { TrackingRechecks } from './tracking/tracking-rechecks.js';
import { TrackingVerification } from './tracking/tracking-verification.js';

@Module({
  providers: [
    {
      provide: DnsLookups,
      inject: [SETTINGS],
      useFactory: ({ DNS_SERVERS }: Settings) => new DnsLookups(DNS_SERVERS),
    },
    { provide: SENDER_AUTHENTICATION, inject: [SETTINGS], useFactory: createSenderAuthentication },
    DkimKeyGenerator,
    DomainDnsCheck,
    DomainMetrics,
    DomainRechecks,
    DomainVerification,
    DueRechecks,
    ProviderDomainRemovals,
    SenderDomains,
    ServiceHosts,
    TrackingBaseUrls,
    TrackingDnsCheck,
    TrackingDomainMetrics,
    TrackingRechecks,
    TrackingVerification,
  ],
  exports: [
    DkimKeyGenerator,
    DomainDnsCheck,
    DomainRechecks,
    DomainVerification,
    SenderDomains,
    ServiceHosts,
    TrackingBaseUrls,
    TrackingDnsCheck,
    TrackingRechecks,
    TrackingVerification,
  ],
})
export class DomainsModule {}
