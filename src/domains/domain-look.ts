import { Inject, Injectable } from '@nestjs/common';
import { SETTINGS, type Settings } from '../config/settings.js';
import { DnsLookups, type DnsQuestions } from '../dns/dns-lookups.js';
import { LOGGER, type Logger } from '../logging/logger.js';
import {
  SenderAuthenticationError,
  type ProviderRecord,
  type SenderAuthentication,
} from '../providers/sender-authentication.js';
import { dkimName, dkimValue, judgeDkim } from './dkim-record.js';
import { DMARC_VALUE, dmarcName, judgeDmarc, organizationalDomain } from './dmarc-record.js';
import { NOT_LOOKED, type DomainRecord, type Finding } from './domain-record.js';
import type { DomainRow } from './domain-row.js';
import { judgeOwnership, ownershipName, ownershipValue, type Ownership } from './ownership.js';
import { judgeSpf, spfValue } from './spf-record.js';

/** Injection token: undefined where signatures are ours. */
export const SENDER_AUTHENTICATION = Symbol('sender authentication');

type Described = Pick<DomainRow, 'id' | 'domain' | 'ownership_token' | 'dkim_selector' | 'dkim_public_key' | 'records'>;

/** Which records a domain needs, and which of them are there. */
@Injectable()
export class DomainLook {
  constructor(
    private readonly dns: DnsLookups,
    @Inject(SENDER_AUTHENTICATION) private readonly provider: SenderAuthentication | undefined,
    @Inject(SETTINGS) private readonly settings: Settings,
    @Inject(LOGGER) private readonly logger: Logger,
  ) {}

  /** What to publish, before anybody looked. */
  async describe(row: Described): Promise<DomainRecord[]> {
    const { domain } = row;
    const records = [ownershipRecord(row, NOT_LOOKED)];
    if (this.signsHere) {
      records.push(...dkimRecord(row, NOT_LOOKED), spfRecord(domain, spfValue(this.spfMechanism), NOT_LOOKED));
    } else {
      records.push(...(await this.askProvider(row, (provider) => provider.register(domain))));
    }
    return [...records, dmarcRecord(domain, NOT_LOOKED)];
  }

  /** Looks now; takes less than 5 seconds for DNS and 8 for the provider, both at once. */
  async look(row: Described): Promise<{ records: DomainRecord[]; ownership: Ownership }> {
    const { domain } = row;
    const signing = this.signsHere ? [] : this.askProvider(row, (provider) => provider.validate(domain));
    const [seen, providers] = await Promise.all([this.dns.look((dns) => this.ask(dns, row)), signing]);
    const { ownership, records, dmarc } = seen;
    return { ownership, records: [...records, ...providers, dmarc] };
  }

  private async ask(dns: DnsQuestions, row: Described) {
    const { domain, dkim_selector: selector, dkim_public_key: publicKey } = row;
    const parent = organizationalDomain(domain);
    const [txt, cname, root, key, policy, inherited] = await Promise.all([
      dns.txt(ownershipName(domain)),
      dns.cname(ownershipName(domain)),
      dns.txt(domain),
      this.signsHere && selector !== null ? dns.txt(dkimName(selector, domain)) : undefined,
      dns.txt(dmarcName(domain)),
      parent === undefined ? undefined : dns.txt(dmarcName(parent)),
    ]);
    const { ownership, finding } = judgeOwnership(ownershipValue(row.ownership_token ?? ''), txt, cname);
    const records = [ownershipRecord(row, finding)];
    if (key && publicKey !== null) records.push(...dkimRecord(row, judgeDkim(publicKey, key)));
    if (this.signsHere) {
      const { value, ...spf } = judgeSpf(this.spfMechanism, root);
      records.push(spfRecord(domain, value, spf));
    }
    return { ownership, records, dmarc: dmarcRecord(domain, judgeDmarc(policy, inherited)) };
  }

  /** What it said earlier stays when it cannot be asked: a provider in trouble must not stop who owns a domain. */
  private async askProvider(
    row: Described,
    ask: (provider: SenderAuthentication) => Promise<readonly ProviderRecord[]>,
  ): Promise<DomainRecord[]> {
    const earlier = row.records.filter(({ purpose }) => purpose === 'dkim' || purpose === 'return-path');
    if (!this.provider) return earlier;
    try {
      return (await ask(this.provider)).map(fromProvider);
    } catch (error) {
      if (!(error instanceof SenderAuthenticationError)) throw error;
      this.logger.warn({ domainId: row.id, reason: error.message }, 'The provider could not be asked about a domain');
      const advice = `${error.message}: this is what was known before. Try again later`;
      return earlier.map((record) => ({ ...record, advice }));
    }
  }

  private get signsHere(): boolean {
    return this.settings.DELIVERY_PROVIDER === 'smtp';
  }

  private get spfMechanism(): string {
    return `include:${this.settings.PLATFORM_SENDING_DOMAIN}`;
  }
}

function ownershipRecord({ domain, ownership_token: token }: Described, finding: Finding): DomainRecord {
  const value = ownershipValue(token ?? '');
  return { type: 'TXT', name: ownershipName(domain), value, purpose: 'ownership', required: true, ...finding };
}

function dkimRecord(row: Described, finding: Finding): DomainRecord[] {
  const { domain, dkim_selector: selector, dkim_public_key: publicKey } = row;
  if (selector === null || publicKey === null) return [];
  const [name, value] = [dkimName(selector, domain), dkimValue(publicKey)];
  return [{ type: 'TXT', name, value, purpose: 'dkim', required: false, ...finding }];
}

function spfRecord(domain: string, value: string, finding: Finding): DomainRecord {
  return { type: 'TXT', name: domain, value, purpose: 'spf', required: false, ...finding };
}

function dmarcRecord(domain: string, finding: Finding): DomainRecord {
  return { type: 'TXT', name: dmarcName(domain), value: DMARC_VALUE, purpose: 'dmarc', required: false, ...finding };
}

function fromProvider({ type, name, value, purpose, valid, reason }: ProviderRecord): DomainRecord {
  const advice = valid ? null : (reason ?? NOT_LOOKED.advice);
  return { type, name, value, purpose, required: false, found: valid, seen: valid ? [value] : [], advice };
}
