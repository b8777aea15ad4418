import { Inject, Injectable } from '@nestjs/common';
import { ownProvidersExist } from '../../organizations/providers/own-providers-exist.sql.js';
import { SETTINGS } from '../../platform/config/settings.js';
import { Database } from '../../platform/database/database.js';
import { lateOutcomeMs, type AmbiguousSettings } from './late-outcome.js';
import { IS_OUT_OF_QUEUE } from './parked-email.sql.js';
import { DISPATCHED_SINCE } from './queue-positions.sql.js';

/**
 * Stands for the plan of organizations with their own providers, for whose mail these may be the only cause to wait.
 */
export const OWN_PROVIDERS = 'own-providers';

/** Counting stops here, so that a long backlog costs no more to monitor than a short one. */
const COUNTED_AT_MOST = 100_000;

export interface PlanBacklog {
  /** The plan of the organizations, or `OWN_PROVIDERS`. */
  readonly plan: string;
  /** Emails that are due, including those being delivered. */
  readonly emails: number;
  /** How long the oldest of them has been due. */
  readonly oldestSeconds: number;
}

interface BacklogRow {
  plan: string;
  emails: number;
  oldest_seconds: number;
}

/** Each organization with emails that have no job, by one index lookup. */
const ORGANIZATIONS = `waiting as (
  (select organization_id, due_at from pending_emails where dispatched_at is null order by organization_id, due_at limit 1)
  union all
  select following.* from waiting w, lateral (
    select organization_id, due_at from pending_emails
     where dispatched_at is null and organization_id > w.organization_id order by organization_id, due_at limit 1) following
)`;

/** False for an email whose worker no longer responds, until its outcome cannot arrive any more. */
const MAY_RUN = `(lease_until is null or lease_until not between now() - $1 * interval '1 ms' and now())`;

/**
 * Excludes paused organizations, whose mail waits on purpose, and emails whose worker no longer responds while its
 * outcome may still arrive. One index lookup per organization finds its oldest
 * email, and only its due ones are counted, however many are scheduled; emails that have a job are few.
 */
const BACKLOG = `
with recursive ${ORGANIZATIONS}, oldest as (
  select organization_id, min(due_at) as due_at
    from (select * from waiting union all
          select organization_id, due_at from pending_emails where dispatched_at >= ${DISPATCHED_SINCE} and ${MAY_RUN}) due
   where due_at <= now() and organization_id not in (select organization_id from sending_guards where state = 'paused')
   group by organization_id
), counted as (
  select organization_id, count(*)::integer as emails
    from (select organization_id from pending_emails
           where dispatched_at >= ${DISPATCHED_SINCE} and due_at <= now() and ${MAY_RUN}
          union all
          select due.organization_id from oldest cross join lateral (
            select organization_id from pending_emails
             where organization_id = oldest.organization_id and dispatched_at is null and due_at <= now()
             limit ${COUNTED_AT_MOST}) due
          limit ${COUNTED_AT_MOST}) due
   group by organization_id
)
select case when ${ownProvidersExist('o.id')} then '${OWN_PROVIDERS}' else o.plan end as plan, coalesce(sum(counted.emails), 0)::integer as emails,
       extract(epoch from now() - min(oldest.due_at))::float8 as oldest_seconds
  from oldest join organizations o on o.id = oldest.organization_id left join counted using (organization_id)
 group by 1`;

/** One index lookup per organization finds its scheduled emails; earlier ones cost nothing. */
const SCHEDULED = `
with recursive ${ORGANIZATIONS}
select count(*)::integer as scheduled from (
  select from waiting w cross join lateral (
    select p.queued_at from pending_emails p
     where p.organization_id = w.organization_id and p.dispatched_at is null and p.due_at > now() and not ${IS_OUT_OF_QUEUE}
     limit ${COUNTED_AT_MOST}) later
   where later.queued_at > now() limit ${COUNTED_AT_MOST}) scheduled`;

/** Measures the backlog, by the Postgres clock. */
@Injectable()
export class EmailBacklog {
  constructor(
    private readonly database: Database,
    @Inject(SETTINGS) private readonly settings: AmbiguousSettings,
  ) {}

  /** Emails whose scheduled time is in the future. Counted up to 100,000. */
  async scheduled(): Promise<number> {
    const [row] = await this.database.query<{ scheduled: number }>(SCHEDULED);
    return row!.scheduled;
  }

  /** The front position of the queue since positions last restarted, see `queue-positions.sql.ts`. */
  async frontPosition(): Promise<number> {
    const [row] = await this.database.query<{ front: number }>('select front from dispatch_window');
    return row!.front;
  }

  /** Omits plans without a due email. */
  async byPlan(): Promise<PlanBacklog[]> {
    const rows = await this.database.query<BacklogRow>(BACKLOG, [lateOutcomeMs(this.settings)]);
    return rows.map(({ plan, emails, oldest_seconds }) => ({
      plan,
      emails,
      oldestSeconds: Math.max(0, oldest_seconds),
    }));
  }
}
