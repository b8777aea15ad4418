import type { Clock } from '../../platform/clock/clock.js';
import { withDeadline } from '../../platform/clock/with-deadline.js';
import { Batcher } from '../../platform/database/batcher.js';
import { LookupCache } from '../../platform/database/lookup-cache.js';
import type { Sql } from '../../platform/database/database.js';
import { organizationTagOf, type CarriedTag } from '../organization-tag.js';
import type { SigningKeys } from '../signing-keys.js';

const CACHE_MS = 3_600_000;
const MAX_CACHED = 50_000;
const MAX_TAGS = 100_000;
const MAX_BATCH = 500;
/** A reader waits no longer than this for a lookup. */
const WAIT_MS = 500;

const FIND = `
select organization_id as "organizationId" from unnest($1::text[]) with ordinality as wanted (tracking_id, number)
  left join emails using (tracking_id) order by number`;

/**
 * Finds the organizations of emails whose tracking ID may come from an earlier release. It also learns the tags of
 * organizations, so an organization whose IDs carry its tag costs one query per process.
 */
export class EmailOwners {
  private found: LookupCache<string | null>;
  private readonly lookUps: Batcher<string, string | null>;
  private readonly tags = new Set<string>();

  constructor(
    sql: Sql,
    private readonly clock: Clock,
  ) {
    this.found = this.emptyCache();
    this.lookUps = new Batcher(
      async (ids) => {
        const rows = await sql.prepared<{ organizationId: string | null }>('find-email-owners', FIND, [ids]);
        return rows.map(({ organizationId }) => organizationId);
      },
      { maxItems: MAX_BATCH },
    );
  }

  /**
   * Call it when the deny list has changed: the emails of an organization that was deleted meanwhile belong to none.
   */
  forgetEmails(): void {
    this.found = this.emptyCache();
  }

  /** True for the tag of an organization that an earlier lookup has found. */
  knows({ keyId, tag }: CarriedTag): boolean {
    return this.tags.has(`${keyId}:${tag}`);
  }

  /** @returns null if there is no such email, and undefined if Postgres does not respond in time */
  async find(keys: SigningKeys, emailTrackingId: string, carried: CarriedTag): Promise<string | null | undefined> {
    const lookup = this.found.find(emailTrackingId, () => this.lookUps.call(emailTrackingId));
    const organizationId = await withDeadline(WAIT_MS, lookup).catch(() => undefined);
    if (organizationId) this.learn(keys, organizationId, carried);
    return organizationId;
  }

  private emptyCache(): LookupCache<string | null> {
    return new LookupCache(this.clock, CACHE_MS, MAX_CACHED);
  }

  private learn(keys: SigningKeys, organizationId: string, { keyId, tag }: CarriedTag): void {
    const key = keys.find(keyId);
    if (key === undefined || this.tags.size >= MAX_TAGS || organizationTagOf(key, organizationId) !== tag) return;
    this.tags.add(`${keyId}:${tag}`);
  }
}
