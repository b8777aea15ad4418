import { Inject, Injectable } from '@nestjs/common';
import { Database } from '../../../platform/database/database.js';
import { LOGGER, type Logger } from '../../../platform/logging/logger.js';
import { REDIS, type RedisConnection } from '../../../platform/redis/connect.js';
import { HELD_FOR, IS_HELD } from '../../dispatch/parked-email.sql.js';
import { GAP_MS, readPauses, type SharedPause } from '../provider-pause-scripts.js';
import { pauseIdOf } from '../provider-pause-key.js';
import { RETRY_HORIZON_MS } from '../retry-schedule.js';

interface HoldingOrganization {
  readonly organizationId: string;
  readonly providers: readonly { readonly id: string; readonly version: number; readonly changedMsAgo: number }[];
}

interface ProviderOfMail {
  readonly pause: SharedPause;
  readonly changedMsAgo: number;
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
/** Statements per run and organization. */
const ROUNDS = 5;
/** While so many released emails of an organization wait for a job, it releases none: its providers may fail again. */
const MOST_WAITING = ROUNDS * BATCH;
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
       (select coalesce(json_agg(json_build_object(
                 'id', own.id, 'version', own.version, 'changedMsAgo', extract(epoch from now() - own.changed_at) * 1000)), '[]')
          from organization_providers own where own.organization_id = w.organization_id) as providers
  from waiting w cross join lateral (
    select from pending_emails p
     where p.organization_id = w.organization_id and p.dispatched_at is null and ${IS_HELD} limit 1) held`;

/**
 * The emails that were queued first. Those released before are due before the first of them.
 * $1 organization, $2 true for those queued for as long as $3 ms, $4 how many
 */
const RELEASE = `
with first_held as (
  select p.due_at from pending_emails p
   where p.organization_id = $1 and p.dispatched_at is null and ${IS_HELD} order by p.due_at limit 1
), released_before as (
  select count(*) as emails from (
    select from pending_emails p
     where p.organization_id = $1 and p.dispatched_at is null and p.due_at <= (select due_at - ${HELD_FOR} from first_held)
     limit ${MOST_WAITING}) waiting
)
update pending_emails set due_at = due_at - ${HELD_FOR}
 where email_id = any(array(
   select email_id from (
     select p.email_id from pending_emails p
      where p.organization_id = $1 and p.dispatched_at is null and p.lease_token is null and ${IS_HELD}
        and p.due_at < case when $2 then now() + ${HELD_FOR} - $3 * interval '1 ms' else 'infinity' end
      order by p.due_at limit greatest($4, ${CHOSEN_AMONG}) for update skip locked) first
    order by random() limit (select least($4, ${MOST_WAITING} - emails) from released_before)))
returning 1 as released`;

/**
 * Ends the hold of emails whose organization's own providers refused its credentials. Held emails have no job, so that
 * they cost nothing meanwhile, however many they are and however long it takes. The change of a provider starts no release:
 * the next run finds that the changed provider has another pause (`pauseIdOf`), so a hundred changes cost no more than one.
 */
@Injectable()
export class HeldMail {
  constructor(
    private readonly database: Database,
    @Inject(REDIS) private readonly redis: RedisConnection,
    @Inject(LOGGER) private readonly logger: Logger,
  ) {}

  /** Any number of workers may run this at the same time. */
  async release(): Promise<void> {
    let holding = await this.database.query<HoldingOrganization & { [column: string]: unknown }>(HOLDING);
    const released = new Map<string, number>();
    // In rounds of a batch each, so that the mail of one organization delays no other.
    for (let round = 0; round < ROUNDS && holding.length > 0; round++)
      holding = await this.releaseBatches(holding, released);
    for (const [organizationId, emails] of released) {
      if (emails > 1) this.logger.info({ organizationId, emails }, 'Released emails that waited for own providers');
    }
  }

  /**
   * @param released counts the emails of each organization
   * @returns the organizations that may have more to release
   */
  private async releaseBatches<Holding extends HoldingOrganization>(
    holding: readonly Holding[],
    released: Map<string, number>,
  ): Promise<Holding[]> {
    const unfinished: Holding[] = [];
    for (let start = 0; start < holding.length; start += ORGANIZATIONS) {
      const some = holding.slice(start, start + ORGANIZATIONS);
      const releases = await this.releasesOf(some);
      for (const [index, organization] of some.entries()) {
        const { organizationId } = organization;
        const emails = await this.releaseBatch(organizationId, releases[index]);
        released.set(organizationId, (released.get(organizationId) ?? 0) + emails);
        if (emails === BATCH) unfinished.push(organization);
      }
    }
    return unfinished;
  }

  private async releasesOf(organizations: readonly HoldingOrganization[]): Promise<(Release | undefined)[]> {
    const ids = organizations.map(({ providers }) => providers.map(({ id, version }) => pauseIdOf(id, version)));
    const pauses = (await readPauses(this.redis, ids.flat())).values();
    return organizations.map(({ providers }) =>
      releaseAfter(providers.map(({ changedMsAgo }) => ({ changedMsAgo, pause: pauses.next().value! }))),
    );
  }

  /** @returns how many emails */
  private async releaseBatch(organizationId: string, release: Release | undefined): Promise<number> {
    if (!release) return 0;
    const { overdueOnly = false, limit } = release;
    const released = await this.database.query(RELEASE, [organizationId, overdueOnly, RETRY_HORIZON_MS, limit]);
    return released.length;
  }
}

/** @param providers all of the organization's own; none once they are deleted, when the service's send the mail */
function releaseAfter(providers: readonly ProviderOfMail[]): Release | undefined {
  if (providers.length === 0) return { limit: BATCH };
  const available = providers.filter(({ pause }) => pause.remainingMs <= 0);
  // Until a provider accepts an email, a single one finds out whether it does.
  if (available.length > 0) return { limit: available.some(acceptsMail) ? BATCH : 1 };
  const refusedForMs = Math.min(...providers.map(({ pause }) => pause.refusedForMs));
  // Emails that have waited for so long fail.
  return refusedForMs > RETRY_HORIZON_MS ? { overdueOnly: true, limit: BATCH } : undefined;
}

/** Nothing is known about a provider that was changed a moment ago, or whose state Redis has lost since. */
function acceptsMail({ pause, changedMsAgo }: ProviderOfMail): boolean {
  return pause.refusedForMs === 0 && (pause.isKnownToAccept || changedMsAgo > GAP_MS);
}
