import { Inject, Injectable } from '@nestjs/common';
import { CLOCK, type Clock } from '../clock/clock.js';
import { Database } from '../database/database.js';
import { SecretBox } from '../encryption/secret-box.js';
import type { DkimKey } from '../providers/provider.js';
import { openDkimKey } from './dkim-keys.js';
import { withParents } from './verified-domains.js';

interface CacheEntry {
  readonly key: Promise<DkimKey | undefined>;
  readonly expiresAt: number;
}

/** How long a key is used after its domain is gone, and at most unsigned mail goes out after it came. */
const CACHE_MS = 2_000;
const MAX_CACHED = 10_000;

/** The keys that mail is signed with, at the cost of one query per sender's domain and few seconds. */
@Injectable()
export class DkimKeyRing {
  private readonly cache = new Map<string, CacheEntry>();

  constructor(
    private readonly database: Database,
    private readonly box: SecretBox,
    @Inject(CLOCK) private readonly clock: Clock,
  ) {}

  /**
   * The key of the organization's verified domain, or of the nearest verified parent; undefined when there is none.
   * @throws CannotOpenError when the key is sealed under another encryption key
   */
  keyFor(organizationId: string, domain: string): Promise<DkimKey | undefined> {
    const now = this.clock.now();
    const name = `${organizationId} ${domain}`;
    const cached = this.cache.get(name);
    if (cached && cached.expiresAt > now) return cached.key;
    if (this.cache.size >= MAX_CACHED) this.cache.delete(this.cache.keys().next().value!);
    const key = this.load(organizationId, domain);
    key.catch(() => this.cache.delete(name));
    this.cache.delete(name);
    this.cache.set(name, { key, expiresAt: now + CACHE_MS });
    return key;
  }

  private async load(organizationId: string, domain: string): Promise<DkimKey | undefined> {
    const [row] = await this.database.prepared<{ id: string; domain: string; selector: string; sealed: string }>(
      'find-dkim-key',
      `select id, domain, dkim_selector as selector, sealed_dkim_key as sealed from sending_domains
        where organization_id = $1 and domain = any($2) and status = 'verified'
          and dkim_selector is not null and sealed_dkim_key is not null
        order by length(domain) desc limit 1`,
      [organizationId, withParents(domain)],
    );
    if (!row) return undefined;
    return { domain: row.domain, selector: row.selector, privateKey: openDkimKey(this.box, row.id, row.sealed) };
  }
}
