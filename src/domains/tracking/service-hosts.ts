import { Inject, Injectable } from '@nestjs/common';
import { SETTINGS, type RunSettings } from '../../platform/config/settings.js';
import { Database } from '../../platform/database/database.js';
import { LookupBatch } from '../../platform/database/lookup-batch.js';
import { domainInAscii } from '../../platform/addresses/domain-in-ascii.js';

/** Knows the host names at which this service may be reached, for a proxy that obtains certificates on demand. */
@Injectable()
export class ServiceHosts {
  private readonly own: ReadonlySet<string>;
  private readonly lookups: LookupBatch<true>;

  constructor(
    private readonly database: Database,
    @Inject(SETTINGS) { BASE_URL, DASHBOARD_URL }: RunSettings,
  ) {
    this.own = new Set([BASE_URL, DASHBOARD_URL ?? BASE_URL].map((url) => new URL(url).hostname));
    // Anyone can have a proxy ask for any name.
    this.lookups = new LookupBatch((domains) => this.readAll(domains));
  }

  /** True also for a domain that was in use earlier: emails still link to it. */
  async has(host: string): Promise<boolean> {
    const name = domainInAscii(host).replace(/\.$/, '');
    return this.own.has(name) || ((await this.lookups.find(name)) ?? false);
  }

  /** Stops at the first period: an organization whose DNS records come and go has very many of one domain. */
  private async readAll(domains: readonly string[]): Promise<ReadonlyMap<string, true>> {
    const rows = await this.database.query<{ domain: string }>(
      `select n.domain from unnest($1::text[]) n (domain)
        where exists (select from tracking_domains d where d.domain = n.domain and d.status = 'verified')
           or exists (select from tracking_base_urls u where u.domain = n.domain)`,
      [domains],
    );
    return new Map(rows.map(({ domain }) => [domain, true]));
  }
}
