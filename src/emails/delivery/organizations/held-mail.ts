import { Inject, Injectable } from '@nestjs/common';
import { Database } from '../../../platform/database/database.js';
import { REDIS, type RedisConnection } from '../../../platform/redis/connect.js';
import { HELD_FOR, IS_HELD } from '../../dispatch/parked-email.sql.js';
import { readPauses, type SharedPause } from '../provider-pause-scripts.js';
import { pauseIdOf } from '../provider-pause-key.js';
import { RETRY_HORIZON_MS } from '../retry-schedule.js';

interface HoldingOrganization {
  readonly organizationId: string;
  readonly providers: readonly { readonly id: string; readonly version: number }[];
}

/** Which of the held emails of an organization are released. */
interface Release {
  readonly overdueOnly?: boolean;
  readonly limit: number;
}

/** Organizations whose pauses are read at once. */
const ORGANIZATIONS = 100;
/** Emails per statement. */
const BATCH = 1_000;
/** A single email is one of so many, at random: one that is refused for its own sake must not be chosen each time. */
const CHOSEN_AMONG = 100;

/** By two index lookups for each organization with emails that have no job. */
const HOLDING = `
with recursive waiting as (
  (select organization_id from pending_emails where dispatched_at is null order by organization_id, due_at limit 1)
  union all
  select following.* from waiting w, lateral (
    select organization_id from pending_emails
     where dispatched_at is null and organization_id > w.organization_id order by organization_id, due_at limit 1) following
)
select w.organization_id as "organizationId",
       (select coalesce(json_agg(json_build_object('id', own.id, 'version', own.version)), '[]')
          from organization_providers own where own.organization_id = w.organization_id) as providers
  from waiting w cross join lateral (
    select from pending_emails p
     where p.organization_id = w.organization_id and p.dispatched_at is null and ${IS_HELD} limit 1) held`;

/** The emails that were queued first. $1 organization, $2 true for those queued for as long as $3 ms, $4 how many */
const RELEASE = `
update pending_emails set due_at = due_at - ${HELD_FOR}
 where email_id = any(array(
   select email_id from (
     select p.email_id from pending_emails p
      where p.organization_id = $1 and p.dispatched_at is null and p.lease_token is null and ${IS_HELD}
        and p.due_at < case when $2 then now() + ${HELD_FOR} - $3 * interval '1 ms' else 'infinity' end
      order by p.due_at limit greatest($4, ${CHOSEN_AMONG}) for update skip locked) first
    order by random() limit $4))
returning 1 as released`;

/**
 * Ends the hold of emails whose organization's own providers refused its credentials. Held emails have no job, so that
 * they cost nothing meanwhile, however many they are and however long it takes.
 */
@Injectable()
export class HeldMail {
  constructor(
    private readonly database: Database,
    @Inject(REDIS) private readonly redis: RedisConnection,
  ) {}

  /** Any number of workers may run this at the same time. */
  async release(): Promise<void> {
    let holding = await this.database.query<HoldingOrganization & { [column: string]: unknown }>(HOLDING);
    // In rounds of a batch each, so that the mail of one organization delays no other.
    while (holding.length > 0) holding = await this.releaseBatches(holding);
  }

  /** @returns the organizations that may have more to release */
  private async releaseBatches<Holding extends HoldingOrganization>(holding: readonly Holding[]): Promise<Holding[]> {
    const unfinished: Holding[] = [];
    for (let start = 0; start < holding.length; start += ORGANIZATIONS) {
      const some = holding.slice(start, start + ORGANIZATIONS);
      const releases = await this.releasesOf(some);
      for (const [index, organization] of some.entries()) {
        const released = await this.releaseBatch(organization, releases[index]);
        if (released === BATCH) unfinished.push(organization);
      }
    }
    return unfinished;
  }

  private async releasesOf(organizations: readonly HoldingOrganization[]): Promise<(Release | undefined)[]> {
    const ids = organizations.map(({ providers }) => providers.map(({ id, version }) => pauseIdOf(id, version)));
    const pauses = (await readPauses(this.redis, ids.flat())).values();
    return ids.map((own) => releaseAfter(own.map(() => pauses.next().value!)));
  }

  /** @returns how many emails */
  private async releaseBatch({ organizationId }: HoldingOrganization, release: Release | undefined): Promise<number> {
    if (!release) return 0;
    const { overdueOnly = false, limit } = release;
    const batch = Math.min(limit, BATCH);
    const released = await this.database.query(RELEASE, [organizationId, overdueOnly, RETRY_HORIZON_MS, batch]);
    return released.length;
  }
}

/** @param pauses of all own providers; none once they are deleted, when the mail goes through those of the service */
function releaseAfter(pauses: readonly SharedPause[]): Release | undefined {
  const refusedForMs = Math.min(...pauses.map((pause) => pause.refusedForMs));
  if (pauses.some(({ remainingMs }) => remainingMs <= 0)) {
    // Until a provider accepts an email, a single one finds out whether it does.
    return { limit: refusedForMs > 0 ? 1 : Infinity };
  }
  if (pauses.length === 0) return { limit: Infinity };
  // Emails that have waited for so long fail.
  return refusedForMs > RETRY_HORIZON_MS ? { overdueOnly: true, limit: Infinity } : undefined;
}
