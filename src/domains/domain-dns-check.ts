import { Inject, Injectable } from '@nestjs/common';
import { SETTINGS, type Settings } from '../platform/config/settings.js';
import { DnsLookups, type DnsQueries } from '../platform/dns/dns-lookups.js';
import { LOGGER, type Logger } from '../platform/logging/logger.js';
import {
  SenderAuthenticationError,
  type ProviderDomain,
  type ProviderRecord,
  type SenderAuthentication,
} from '../providers/sender-authentication.js';
import { DkimKeyGenerator } from './dkim-key-generator.js';
import { dkimName, dkimValue, checkDkim } from './dkim-record.js';
import { DMARC_VALUE, dmarcName, checkDmarc, organizationalDomain } from './dmarc-record.js';
import { NOT_CHECKED, type DomainRecord, type RecordCheck } from './domain-record.js';
import type { DomainRow } from './domain-row.js';
import { toDomainView, type DomainView } from './domain-view.js';
import { checkOwnership, ownershipName, ownershipRecord, ownershipValue, type Ownership } from './ownership.js';
import { checkSpf, spfValue } from './spf-record.js';
import { needsProviderSignature } from './verified-domains.js';

/** Injection token: undefined when Mailbeacon signs mail itself. */
export const SENDER_AUTHENTICATION = Symbol('sender authentication');

type Described = Pick<DomainRow, 'id' | 'domain' | 'ownership_token' | 'dkim_selector' | 'dkim_public_key' | 'records'>;

type Checked = Described & Pick<DomainRow, 'status' | 'provider_signs'>;

/** Result of a check. */
export interface DnsCheckResult {
  readonly records: readonly DomainRecord[];
  readonly ownership: Ownership;
  /** ID of the domain at the provider, if this check created it there. */
  readonly providerDomainId?: string;
  /** True when the provider signs for the domain and accepts its senders. False when Mailbeacon signs. */
  readonly providerSigns: boolean;
}

/** Lists the records that a domain needs, and checks which of them are published. */
@Injectable()
export class DomainDnsCheck {
  constructor(
    private readonly dns: DnsLookups,
    @Inject(SENDER_AUTHENTICATION) private readonly provider: SenderAuthentication | undefined,
    @Inject(SETTINGS) private readonly settings: Settings,
    @Inject(LOGGER) private readonly logger: Logger,
    private readonly keys: DkimKeyGenerator,
  ) {}

  /** True when Mailbeacon signs mail with its own keys. Otherwise the provider signs. */
  get signsHere(): boolean {
    return !needsProviderSignature(this.settings);
  }

  /** Returns the records to publish, before the first check. */
  describe(row: Described): DomainRecord[] {
    const { domain } = row;
    const records = [ownershipRecord(row, NOT_CHECKED)];
    if (this.signsHere) {
      records.push(...dkimRecord(row, NOT_CHECKED), spfRecord(domain, spfValue(this.spfMechanism), NOT_CHECKED));
    }
    return [...records, dmarcRecord(domain, NOT_CHECKED)];
  }

  view(row: DomainRow): DomainView {
    return toDomainView(row, !this.signsHere);
  }

  /**
   * Checks DNS (less than 5 seconds), then the provider (up to 8 seconds). The provider is called only once ownership
   * is verified, because the call creates the domain in its account, which has a limited number of domains.
   */
  async run(described: Checked): Promise<DnsCheckResult> {
    const row = await this.withKey(described);
    const { ownership, records, dmarc } = await this.dns.query((dns) => this.query(dns, row));
    const isOwned = ownership === 'seen' || row.status === 'verified';
    const ofProvider = this.signsHere ? NO_PROVIDER_RECORDS : await this.queryProvider(row, isOwned);
    return {
      ownership,
      records: [...records, ...ofProvider.records, dmarc],
      ...(ofProvider.madeId !== undefined && { providerDomainId: ofProvider.madeId }),
      providerSigns: ofProvider.signs,
    };
  }

  /** A key is missing if the process ended before creating it, or if the provider signed until now. */
  private async withKey<Row extends Described>(row: Row): Promise<Row> {
    return this.signsHere && row.dkim_selector === null ? { ...row, ...(await this.keys.generate(row.id)) } : row;
  }

  private async query(dns: DnsQueries, row: Described) {
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
    const { ownership, check } = checkOwnership(ownershipValue(row.ownership_token ?? ''), txt, cname);
    const records = [ownershipRecord(row, check)];
    if (key && publicKey !== null) records.push(...dkimRecord(row, checkDkim(publicKey, key)));
    if (this.signsHere) {
      const { value, ...spf } = checkSpf(this.spfMechanism, root);
      records.push(spfRecord(domain, value, spf));
    }
    return { ownership, records, dmarc: dmarcRecord(domain, checkDmarc(policy, inherited)) };
  }

  /** Keeps the earlier records when the provider is unavailable, so that its outage does not block verification. */
  private async queryProvider(row: Checked, isOwned: boolean): Promise<ProviderRecords> {
    const earlier = row.records.filter(isOfProvider(row));
    const signs = row.provider_signs;
    if (!this.provider || !isOwned) return { records: earlier, signs };
    try {
      const { records, isAuthenticated, madeId } = await this.provider.validate(row.domain);
      return { records: records.map(fromProvider), signs: isAuthenticated && findsKeys(records), madeId };
    } catch (error) {
      if (!(error instanceof SenderAuthenticationError)) throw error;
      this.logger.warn({ domainId: row.id, reason: error.message }, 'The provider could not check a domain');
      const advice = `${error.message}: this is the result of an earlier check. Try again later`;
      return { records: earlier.map((record) => ({ ...record, advice })), signs };
    }
  }

  private get spfMechanism(): string {
    return `include:${this.settings.PLATFORM_SENDING_DOMAIN}`;
  }
}

interface ProviderRecords {
  readonly records: readonly DomainRecord[];
  readonly signs: boolean;
  readonly madeId?: ProviderDomain['madeId'];
}

const NO_PROVIDER_RECORDS: ProviderRecords = { records: [], signs: false };

function findsKeys(records: readonly ProviderRecord[]): boolean {
  const keys = records.filter(({ purpose }) => purpose === 'dkim');
  return keys.length > 0 && keys.every(({ valid }) => valid);
}

/** Excludes the record of our own key, which may be left from a time when Mailbeacon signed. */
function isOfProvider({ domain, dkim_selector: selector }: Described) {
  const ours = selector === null ? undefined : dkimName(selector, domain);
  return ({ purpose, name }: DomainRecord): boolean =>
    purpose === 'return-path' || (purpose === 'dkim' && name !== ours);
}

function dkimRecord(row: Described, check: RecordCheck): DomainRecord[] {
  const { domain, dkim_selector: selector, dkim_public_key: publicKey } = row;
  if (selector === null || publicKey === null) return [];
  const [name, value] = [dkimName(selector, domain), dkimValue(publicKey)];
  return [{ type: 'TXT', name, value, purpose: 'dkim', required: false, ...check }];
}

function spfRecord(domain: string, value: string, check: RecordCheck): DomainRecord {
  return { type: 'TXT', name: domain, value, purpose: 'spf', required: false, ...check };
}

function dmarcRecord(domain: string, check: RecordCheck): DomainRecord {
  return { type: 'TXT', name: dmarcName(domain), value: DMARC_VALUE, purpose: 'dmarc', required: false, ...check };
}

function fromProvider({ type, name, value, purpose, valid, reason }: ProviderRecord): DomainRecord {
  const advice = valid ? null : (reason ?? NOT_CHECKED.advice);
  return { type, name, value, purpose, required: false, found: valid, seen: valid ? [value] : [], advice };
}
