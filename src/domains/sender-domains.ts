import { Inject, Injectable } from '@nestjs/common';
import { MONOTONIC_CLOCK, type Clock } from '../platform/clock/clock.js';
import { SETTINGS, type Settings } from '../platform/config/settings.js';
import { Database } from '../platform/database/database.js';
import { LookupCache } from '../platform/database/lookup-cache.js';
import { SecretBox } from '../platform/encryption/secret-box.js';
import type { DkimKey } from '../providers/provider.js';
import { openDkimKey } from './dkim-keys.js';
import { REFUSAL_INTERVAL } from './sender-refusals.js';
import { withParents } from './parent-domains.js';
import { isSenderDomain, needsProviderSignature } from './verified-domains.js';

/** A domain that an organization may send from. */
export interface SenderDomain {
  readonly id: string;
  /** Key that signs the mail; absent when the provider signs. */
  readonly dkim?: DkimKey;
}

interface Row {
  id: string;
  domain: string;
  selector: string | null;
  sealed: string | null;
}

/** Also bounds how long an organization can send from a domain that it has lost. */
const CACHE_MS = 2_000;
const MAX_CACHED = 10_000;

/** Finds the domains and keys that mail may be sent with. Caches them for a few seconds: one query per domain. */
@Injectable()
export class SenderDomains {
  private readonly cache: LookupCache<SenderDomain | undefined>;

  constructor(
    private readonly database: Database,
    private readonly box: SecretBox,
    @Inject(SETTINGS) private readonly settings: Settings,
    @Inject(MONOTONIC_CLOCK) clock: Clock,
  ) {
    this.cache = new LookupCache(clock, CACHE_MS, MAX_CACHED);
  }

  /**
   * Returns the verified domain that covers `domain`: itself or its nearest parent. Undefined when there is none.
   * Caches only hits, so that a newly verified domain is found immediately.
   * @throws DecryptionError when the DKIM key is sealed under another encryption key
   */
  find(organizationId: string, domain: string): Promise<SenderDomain | undefined> {
    return this.cache.find(
      `${organizationId} ${domain}`,
      () => this.load(organizationId, domain),
      (found) => found !== undefined,
    );
  }

  /** Stores why the provider refused mail from a domain. Shown until the domain is verified again. */
  async recordRefusal(domainId: string, reason: string): Promise<void> {
    await this.database.query(
      `update sending_domains set sender_refused_at = now(), sender_refusal = $2
        where id = $1 and (sender_refused_at is null or sender_refused_at < now() - ${REFUSAL_INTERVAL})`,
      [domainId, reason],
    );
  }

  private async load(organizationId: string, domain: string): Promise<SenderDomain | undefined> {
    const rows = await this.database.prepared<Row>(
      'find-sender-domain',
      `select id, domain, dkim_selector as selector, sealed_dkim_key as sealed from sending_domains
        where ${isSenderDomain('$1', '$2::text[]', '$3::boolean')} order by length(domain) desc`,
      [organizationId, withParents(domain), needsProviderSignature(this.settings)],
    );
    const [nearest] = rows;
    if (!nearest) return undefined;
    const signing = rows.find(({ sealed }) => sealed !== null);
    return { id: nearest.id, ...(signing && { dkim: this.keyOf(signing) }) };
  }

  private keyOf({ id, domain, selector, sealed }: Row): DkimKey {
    return { domain, selector: selector!, privateKey: openDkimKey(this.box, id, sealed!) };
  }
}
