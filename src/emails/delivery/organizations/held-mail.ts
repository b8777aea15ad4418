import { Inject, Injectable } from '@nestjs/common';
import { Database } from '../../../platform/database/database.js';
import { LOGGER, type Logger } from '../../../platform/logging/logger.js';
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

interface ReleaseOf extends Release {
  readonly organizationId: string;
}

/** Organizations whose pauses are read at once, and of which one statement releases an email each. */
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
       (select coalesce(json_agg(json_build_object('id', own.id, 'version', own.version)), '[]')
          from organization_providers own where own.organization_id = w.organization_id) as providers
  from waiting w cross join lateral (
    select from pending_emails p
     where p.organization_id = w.organization_id and p.dispatched_at is null and ${IS_HELD} limit 1) held`;

/**
 * An advisory lock lets only one process release emails at a time; the number is arbitrary. A separate statement, so
 * that the next one counts what the previous lock holder released.
 */
const TRY_RELEASE_LOCK = 'select pg_try_advisory_xact_lock(7219533006) as acquired';

/**
 * The emails that were queued first. Those released before are due before the first of them.
 * $1 organizations, $2 true for those queued for as long as $4 ms, $3 how many of each organization
 */
const RELEASE = `
update pending_emails set due_at = due_at - ${HELD_FOR}
 where email_id = any(array(
   select chosen.email_id
     from unnest($1::uuid[], $2::boolean[], $3::integer[]) as release (organization_id, overdue_only, emails)
     cross join lateral (
       select count(*) as emails from (
         select from pending_emails p
          where p.organization_id = release.organization_id and p.dispatched_at is null and p.due_at <= (
            select p.due_at - ${HELD_FOR} from pending_emails p
             where p.organization_id = release.organization_id and p.dispatched_at is null and ${IS_HELD}
             order by p.due_at limit 1)
          limit ${MOST_WAITING}) waiting) released_before
     cross join lateral (
       select email_id from (
         select p.email_id from pending_emails p
          where p.organization_id = release.organization_id and p.dispatched_at is null and p.lease_token is null and ${IS_HELD}
            and p.due_at < case when release.overdue_only then now() + ${HELD_FOR} - $4 * interval '1 ms' else 'infinity' end
          order by p.due_at limit greatest(release.emails, ${CHOSEN_AMONG}) for update skip locked) first
        order by random() limit least(release.emails, ${MOST_WAITING} - released_before.emails)) chosen))
returning organization_id as "organizationId"`;

/**
 * Ends the hold of emails whose organization's own providers refused its credentials. Held emails have no job, so that
 * they cost nothing meanwhile, however many they are and however long it takes. The change of a provider starts no
 * release: the next run finds that the changed provider has another pause (`pauseIdOf`), so a hundred changes cost no
 * more than one.
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
      for (const releases of statementsFor(await this.releasesOf(some))) {
        const emails = await this.releaseEmails(releases);
        for (const id of emails) released.set(id, (released.get(id) ?? 0) + 1);
        if (emails.length === BATCH)
          unfinished.push(...some.filter(({ organizationId }) => organizationId === emails[0]));
      }
    }
    return unfinished;
  }

  private async releasesOf(organizations: readonly HoldingOrganization[]): Promise<readonly ReleaseOf[]> {
    const ids = organizations.map(({ providers }) => providers.map(({ id, version }) => pauseIdOf(id, version)));
    const pauses = (await readPauses(this.redis, ids.flat())).values();
    return organizations.flatMap(({ organizationId, providers }) => {
      const release = releaseAfter(providers.map(() => pauses.next().value!));
      return release ? [{ organizationId, ...release }] : [];
    });
  }

  /** @returns the organization of each released email; none while another process releases emails */
  private async releaseEmails(releases: readonly ReleaseOf[]): Promise<readonly string[]> {
    return this.database.transaction(async (sql) => {
      const [lock] = await sql.query<{ acquired: boolean }>(TRY_RELEASE_LOCK);
      if (!lock!.acquired) return [];
      const rows = await sql.query<{ organizationId: string }>(RELEASE, [
        releases.map(({ organizationId }) => organizationId),
        releases.map(({ overdueOnly = false }) => overdueOnly),
        releases.map(({ limit }) => limit),
        RETRY_HORIZON_MS,
      ]);
      return rows.map(({ organizationId }) => organizationId);
    });
  }
}

/** Single emails of many organizations share a statement. */
function statementsFor(releases: readonly ReleaseOf[]): readonly (readonly ReleaseOf[])[] {
  const single = releases.filter(({ limit }) => limit === 1);
  const batches = releases.filter(({ limit }) => limit > 1).map((release) => [release]);
  return single.length > 0 ? [single, ...batches] : batches;
}

/** @param pauses of all own providers; none once they are deleted, when the service's send the mail */
function releaseAfter(pauses: readonly SharedPause[]): Release | undefined {
  if (pauses.length === 0) return { limit: BATCH };
  const available = pauses.filter(({ remainingMs }) => remainingMs <= 0);
  // Until a provider accepts an email, a single one finds out whether it does.
  if (available.length > 0) return { limit: available.some(acceptsMail) ? BATCH : 1 };
  const refusedForMs = Math.min(...pauses.map((pause) => pause.refusedForMs));
  // Emails that have waited for so long fail.
  return refusedForMs > RETRY_HORIZON_MS ? { overdueOnly: true, limit: BATCH } : undefined;
}

/** Nothing is known about a provider that was changed a moment ago, or whose state Redis has lost. */
function acceptsMail({ refusedForMs, isKnownToAccept }: SharedPause): boolean {
  return refusedForMs === 0 && isKnownToAccept;
}
