import { Inject, Injectable, type OnApplicationShutdown, type OnModuleInit } from '@nestjs/common';
import { carriedTagOf, organizationTagOf } from '../../links/organization-tag.js';
import { SigningKeyRing } from '../../links/signing-key-ring.js';
import type { SigningKey } from '../../links/signing-keys.js';
import { BackgroundLoop } from '../../platform/clock/background-loop.js';
import type { Clock } from '../../platform/clock/clock.js';
import { SETTINGS, type RunSettings } from '../../platform/config/settings.js';
import { CopyRefresh } from '../../platform/database/copy-refresh.js';
import { Database } from '../../platform/database/database.js';
import { POSTGRES_CLOCK } from '../../platform/database/postgres-clock.js';
import { LOGGER, type Logger } from '../../platform/logging/logger.js';

/** Less than the time after which emails use a new domain, so that every process knows its organization by then. */
const REFRESH_MS = 4_000;
/** A refresh reads the domains that came into use this recently, and all of them once in this time. */
const RECENT_MS = 3_600_000;

/**
 * The tracking domains of all organizations, in memory: under a domain, only links of the organizations that have used
 * it redirect, so nobody can borrow its reputation. While Postgres is down, the last known domains stay in use.
 */
@Injectable()
export class TrackingHosts implements OnModuleInit, OnApplicationShutdown {
  private hosts = new Map<string, HostOwners>();
  private allReadAt = -Infinity;
  private readonly refresh: CopyRefresh;
  /** All organizations link to it, also if it was the domain of one of them before. */
  private readonly baseHost: string;
  private readonly loop = new BackgroundLoop(async () => {
    await this.refresh.run();
    return REFRESH_MS;
  });

  constructor(
    private readonly database: Database,
    private readonly keys: SigningKeyRing,
    @Inject(SETTINGS) { BASE_URL }: Pick<RunSettings, 'BASE_URL'>,
    @Inject(POSTGRES_CLOCK) private readonly clock: Clock,
    @Inject(LOGGER) logger: Logger,
  ) {
    this.baseHost = new URL(BASE_URL).hostname;
    this.refresh = new CopyRefresh(() => this.read(), logger, {
      failed: 'The list of tracking domains could not be refreshed; keeping the last known one',
      recovered: 'The list of tracking domains is up to date again',
    });
  }

  /** Usually true; then callers need not read the host of a request. */
  get isEmpty(): boolean {
    return this.hosts.size === 0;
  }

  /**
   * Whether a token of this email works at this host. False only for a tracking domain that the email's organization
   * has never used. Every email that links to such a domain carries the tag of its organization.
   * @param host value of the `Host` header
   * @param emailTrackingId a valid ID
   */
  serves(host: string | undefined, emailTrackingId: string): boolean {
    const owners = host === undefined ? undefined : this.hosts.get(nameOf(host));
    if (owners === undefined) return true;
    const carried = carriedTagOf(this.keys.current, emailTrackingId);
    const key = carried && this.keys.current.find(carried.keyId);
    return carried === undefined || key === undefined || owners.tagsUnder(key).has(carried.tag);
  }

  async onModuleInit(): Promise<void> {
    await this.refresh.run();
    this.loop.start();
  }

  onApplicationShutdown(): Promise<void> {
    return this.loop.stop();
  }

  /** Reading all of them also forgets those of deleted organizations. */
  private async read(): Promise<void> {
    const now = this.clock.now();
    const readsAll = now - this.allReadAt >= RECENT_MS || now < this.allReadAt;
    // Includes those that come into use soon.
    const since = new Date(readsAll ? 0 : now - RECENT_MS);
    const rows = await this.database.prepared<{ domain: string; organizationId: string }>(
      'read-tracking-hosts',
      `select distinct domain, organization_id as "organizationId" from tracking_base_urls where used_from > $1`,
      [since],
    );
    const hosts = readsAll ? new Map<string, HostOwners>() : this.hosts;
    for (const { domain, organizationId } of rows) {
      let owners = hosts.get(domain);
      if (owners === undefined) hosts.set(domain, (owners = new HostOwners()));
      owners.add(organizationId);
    }
    hosts.delete(this.baseHost);
    this.hosts = hosts;
    if (readsAll) this.allReadAt = now;
  }
}

/** The organizations that have used a domain: usually one. */
class HostOwners {
  private readonly organizationIds = new Set<string>();
  /** By key, because each key has its own tags. */
  private readonly tags = new Map<number, ReadonlySet<number>>();

  add(organizationId: string): void {
    if (this.organizationIds.has(organizationId)) return;
    this.organizationIds.add(organizationId);
    this.tags.clear();
  }

  tagsUnder(key: SigningKey): ReadonlySet<number> {
    let tags = this.tags.get(key.id);
    if (tags === undefined)
      this.tags.set(key.id, (tags = new Set([...this.organizationIds].map((id) => organizationTagOf(key, id)))));
    return tags;
  }
}

/** Without the port and the dot of the root. */
function nameOf(host: string): string {
  return host.toLowerCase().replace(/\.?(?::\d*)?$/, '');
}
