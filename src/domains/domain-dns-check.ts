import { Inject, Injectable } from '@nestjs/common';
import { SETTINGS, type Settings } from '../platform/config/settings.js';
import { DnsLookups, type DnsQuestions } from '../platform/dns/dns-lookups.js';
import { LOGGER, type Logger } from '../platform/logging/logger.js';
import {
  SenderAuthenticationError,
  type ProviderDomain,
  type ProviderRecord,
  type SenderAuthentication,
} from '../providers/sender-authentication.js';
import { DkimKeyMint } from './dkim-key-mint.js';
import { dkimName, dkimValue, judgeDkim } from './dkim-record.js';
import { DMARC_VALUE, dmarcName, judgeDmarc, organizationalDomain } from './dmarc-record.js';
import { NOT_LOOKED, type DomainRecord, type Finding } from './domain-record.js';
import type { DomainRow } from './domain-row.js';
import { toDomainView, type DomainView } from './domain-view.js';
import { judgeOwnership, ownershipName, ownershipValue, type Ownership } from './ownership.js';
import { judgeSpf, spfValue } from './spf-record.js';
import { needsProviderSignature } from './verified-domains.js';

/** Injection token: undefined where signatures are ours. */
export const SENDER_AUTHENTICATION = Symbol('sender authentication');

type Described = Pick<DomainRow, 'id' | 'domain' | 'ownership_token' | 'dkim_selector' | 'dkim_public_key' | 'records'>;

/** What a look found. */
export interface Sight {
  readonly records: readonly DomainRecord[];
  readonly ownership: Ownership;
  /** What the provider calls the domain, where it was made there just now. */
  readonly madeAtProvider?: string;
  /** Whether the provider can sign; false where signatures are ours. */
  readonly providerSigns: boolean;
}

/** Which records a domain needs, and which of them are there. */
@Injectable()
export class DomainDnsCheck {
  constructor(
    private readonly dns: DnsLookups,
    @Inject(SENDER_AUTHENTICATION) private readonly provider: SenderAuthentication | undefined,
    @Inject(SETTINGS) private readonly settings: Settings,
    @Inject(LOGGER) private readonly logger: Logger,
    private readonly keys: DkimKeyMint,
  ) {}

  /** True where mail is signed with keys of ours; elsewhere the provider signs with its own. */
  get signsHere(): boolean {
    return !needsProviderSignature(this.settings);
  }

  /** What to publish, before anybody looked. */
  describe(row: Described): DomainRecord[] {
    const { domain } = row;
    const records = [ownershipRecord(row, NOT_LOOKED)];
    if (this.signsHere) {
      records.push(...dkimRecord(row, NOT_LOOKED), spfRecord(domain, spfValue(this.spfMechanism), NOT_LOOKED));
    }
    return [...records, dmarcRecord(domain, NOT_LOOKED)];
  }

  view(row: DomainRow): DomainView {
    return toDomainView(row, !this.signsHere);
  }

  /**
   * Looks now; takes less than 5 seconds for DNS, then 8 for the provider. The provider hears of a domain only once
   * its owner was seen: it keeps what it is asked about, and its account has room for a limited number of domains.
   */
  async look(described: Described & Pick<DomainRow, 'status'>): Promise<Sight> {
    const row = await this.withKey(described);
    const { ownership, records, dmarc } = await this.dns.look((dns) => this.ask(dns, row));
    const isOwned = ownership === 'seen' || row.status === 'verified';
    const asked = this.signsHere ? NOT_ASKED : await this.askProvider(row, isOwned);
    const signing = asked.records.filter(({ purpose }) => purpose === 'dkim');
    return {
      ownership,
      records: [...records, ...asked.records, dmarc],
      ...(asked.madeId !== undefined && { madeAtProvider: asked.madeId }),
      providerSigns: signing.length > 0 && signing.every(({ found }) => found),
    };
  }

  /** A key is missing where the process ended before it was made, or where the provider signed until now. */
  private async withKey<Row extends Described>(row: Row): Promise<Row> {
    return this.signsHere && row.dkim_selector === null ? { ...row, ...(await this.keys.make(row.id)) } : row;
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
  private async askProvider(row: Described, isOwned: boolean): Promise<AskedProvider> {
    const earlier = row.records.filter(isOfProvider(row));
    if (!this.provider || !isOwned) return { records: earlier };
    try {
      const { records, madeId } = await this.provider.validate(row.domain);
      return { records: records.map(fromProvider), madeId };
    } catch (error) {
      if (!(error instanceof SenderAuthenticationError)) throw error;
      this.logger.warn({ domainId: row.id, reason: error.message }, 'The provider could not be asked about a domain');
      const advice = `${error.message}: this is what was known before. Try again later`;
      return { records: earlier.map((record) => ({ ...record, advice })) };
    }
  }

  private get spfMechanism(): string {
    return `include:${this.settings.PLATFORM_SENDING_DOMAIN}`;
  }
}

interface AskedProvider {
  readonly records: readonly DomainRecord[];
  readonly madeId?: ProviderDomain['madeId'];
}

const NOT_ASKED: AskedProvider = { records: [] };

/** Tells the provider's records from those of a key of ours, which may be left from when signatures were ours. */
function isOfProvider({ domain, dkim_selector: selector }: Described) {
  const ours = selector === null ? undefined : dkimName(selector, domain);
  return ({ purpose, name }: DomainRecord): boolean =>
    purpose === 'return-path' || (purpose === 'dkim' && name !== ours);
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
