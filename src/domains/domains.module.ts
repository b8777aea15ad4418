import { Module } from '@nestjs/common';
import { SETTINGS, type Settings } from '../config/settings.js';
import { DnsLookups } from '../dns/dns-lookups.js';
import { createSenderAuthentication } from '../providers/create-sender-authentication.js';
import { DkimKeyRing } from './dkim-key-ring.js';
import { DomainLook, SENDER_AUTHENTICATION } from './domain-look.js';
import { DomainMetrics } from './domain-metrics.js';
import { DomainVerification } from './domain-verification.js';

@Module({
  providers: [
    {
      provide: DnsLookups,
      inject: [SETTINGS],
      useFactory: ({ DNS_SERVERS }: Settings) => new DnsLookups(DNS_SERVERS),
    },
    { provide: SENDER_AUTHENTICATION, inject: [SETTINGS], useFactory: createSenderAuthentication },
    DkimKeyRing,
    DomainLook,
    DomainMetrics,
    DomainVerification,
  ],
  exports: [DkimKeyRing, DomainLook, DomainVerification],
})
export class DomainsModule {}
