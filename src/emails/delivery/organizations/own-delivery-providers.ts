import { Inject, Injectable } from '@nestjs/common';
import { MONOTONIC_CLOCK, type Clock } from '../../../platform/clock/clock.js';
import { SETTINGS, type Settings } from '../../../platform/config/settings.js';
import { Batcher } from '../../../platform/database/batcher.js';
import { Database } from '../../../platform/database/database.js';
import { LookupCache } from '../../../platform/database/lookup-cache.js';
import { LOGGER, type Logger } from '../../../platform/logging/logger.js';
import { SigningMemory } from '../../../providers/smtp/signing-memory.js';
import { ID_AMONG } from '../../email-id.sql.js';
import type { DeliveryProviders } from '../delivery-providers.js';
import { OwnProviderFactory } from './own-provider-factory.js';
import { ownProviders } from './own-providers.sql.js';

/** An organization that sends an email through its own providers. */
export interface ProviderOwner {
  readonly organizationId: string;
  /** See `ownProviders`. */
  readonly versions: string;
}

/**
 * Who owns the providers of an email: undefined for the service. `unneeded` stands for an organization whose email
 * needs no provider now: it is final, is not due, or another worker has it.
 */
export type EmailOwner = ProviderOwner | 'unneeded' | undefined;

interface OwnerRow {
  id: string;
  organization_id: string;
  versions: string | null;
  is_unneeded: boolean;
}

/** The providers of one organization, while jobs use them and for some time after. */
interface Entry {
  readonly versions: string;
  readonly created: Promise<DeliveryProviders | undefined>;
  /** Of the organization: a newer entry takes it over, so that it limits the messages of both. */
  readonly signingMemory: SigningMemory;
  users: number;
  usedAt: number;
  /** True once no further job gets it. */
  isReplaced: boolean;
}

/** How long workers may not know that an organization has added the first provider of all. */
const KNOWN_MS = 2_000;
const MAX_BATCH = 64;
/** Unused providers are closed after this time, with their connections. */
const IDLE_MS = 60_000;
const SWEEP_EVERY_MS = 15_000;
/** When a job tries again that found other providers than it expected. */
const CHANGED_MS = 100;

/**
 * Finds out which emails go through providers of their organization, and keeps these providers while they are in use.
 */
@Injectable()
export class OwnDeliveryProviders {
  private readonly owners: Batcher<string, EmailOwner>;
  private readonly existence: LookupCache<boolean>;
  private readonly entries = new Map<string, Entry>();
  private readonly held = new Map<DeliveryProviders, Entry>();
  private readonly sweeper = setInterval(() => this.closeIdle(), SWEEP_EVERY_MS).unref();

  constructor(
    private readonly database: Database,
    private readonly factory: OwnProviderFactory,
    @Inject(SETTINGS) private readonly settings: Settings,
    @Inject(MONOTONIC_CLOCK) private readonly clock: Clock,
    @Inject(LOGGER) private readonly logger: Logger,
  ) {
    this.owners = new Batcher((ids) => this.findOwners(ids), { maxItems: MAX_BATCH });
    this.existence = new LookupCache(clock, KNOWN_MS, 1);
  }

  /** The owners of the providers that send these emails, in their order. */
  async ownersOf(emailIds: readonly string[]): Promise<readonly EmailOwner[]> {
    // Where no organization has its own providers, emails cost no query.
    if (!(await this.existence.find('', () => this.exist()))) return emailIds.map(() => undefined);
    // The many emails of a broadcast must not delay single ones in their batches.
    if (emailIds.length !== 1) return this.findOwners(emailIds);
    return [await this.owners.call(emailIds[0]!)];
  }

  /**
   * The providers of an organization, to be released after their last use.
   * @returns milliseconds until a job may try again, if they cannot be used now
   */
  async hold({ organizationId, versions }: ProviderOwner): Promise<DeliveryProviders | number> {
    const entry = this.entryOf(organizationId, versions);
    entry.users += 1;
    try {
      const providers = await entry.created;
      if (providers?.versions === versions) {
        this.held.set(providers, entry);
        return providers;
      }
      this.letGo(organizationId, entry);
      return CHANGED_MS;
    } catch (error) {
      this.letGo(organizationId, entry);
      throw error;
    }
  }

  release(providers: DeliveryProviders): void {
    this.endUse(this.held.get(providers)!);
  }

  /** Call it after the last delivery has returned. */
  async closeAll(): Promise<void> {
    clearInterval(this.sweeper);
    await Promise.all([...this.entries.values()].map((entry) => this.close(entry)));
  }

  private async exist(): Promise<boolean> {
    const [row] = await this.database.query<{ exist: boolean }>(
      'select exists (select from organization_providers) as exist',
    );
    return row!.exist;
  }

  private async findOwners(emailIds: readonly string[]): Promise<EmailOwner[]> {
    const rows = await this.database.prepared<OwnerRow>(
      'find-provider-owners',
      `select e.id, e.organization_id, ${ownProviders('$2::text')} as versions,
              coalesce(p.due_at > now() or p.lease_token is not null, true) as is_unneeded
         from emails e
         join email_contents c on c.email_id = e.id
         left join pending_emails p on p.email_id = e.id
        where ${ID_AMONG}`,
      [emailIds, this.settings.PLATFORM_SENDING_DOMAIN],
    );
    const found = new Map(rows.map((row) => [row.id, row]));
    return emailIds.map((id) => ownerIn(found.get(id)));
  }

  private entryOf(organizationId: string, versions: string): Entry {
    const known = this.entries.get(organizationId);
    if (known?.versions === versions) return known;
    if (known) this.replace(known);
    const signingMemory = known?.signingMemory ?? new SigningMemory();
    const created = this.factory.create(organizationId, signingMemory);
    const entry = { versions, created, signingMemory, users: 0, usedAt: this.clock.now(), isReplaced: false };
    this.entries.set(organizationId, entry);
    return entry;
  }

  /** An entry that cannot be used is created again by the next job that needs it. */
  private letGo(organizationId: string, entry: Entry): void {
    if (this.entries.get(organizationId) === entry) this.entries.delete(organizationId);
    entry.isReplaced = true;
    this.endUse(entry);
  }

  private replace(entry: Entry): void {
    entry.isReplaced = true;
    this.closeIfDone(entry);
  }

  private endUse(entry: Entry): void {
    entry.users -= 1;
    entry.usedAt = this.clock.now();
    this.closeIfDone(entry);
  }

  private closeIfDone(entry: Entry): void {
    if (entry.isReplaced && entry.users === 0) void this.close(entry);
  }

  private closeIdle(): void {
    const now = this.clock.now();
    for (const [organizationId, entry] of this.entries) {
      if (entry.users > 0 || now - entry.usedAt < IDLE_MS) continue;
      this.entries.delete(organizationId);
      void this.close(entry);
    }
  }

  private async close(entry: Entry): Promise<void> {
    try {
      const providers = await entry.created;
      if (!providers) return;
      this.held.delete(providers);
      await providers.close();
    } catch (error) {
      this.logger.debug({ err: error }, 'Could not close providers of an organization');
    }
  }
}

function ownerIn(row: OwnerRow | undefined): EmailOwner {
  if (!row?.versions) return undefined;
  return row.is_unneeded ? 'unneeded' : { organizationId: row.organization_id, versions: row.versions };
}
