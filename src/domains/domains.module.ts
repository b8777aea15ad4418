import { Module } from '@nestjs/common';
import { SendingDomains } from './sending-domains.js';

@Module({ providers: [SendingDomains], exports: [SendingDomains] })
export class DomainsModule {}
