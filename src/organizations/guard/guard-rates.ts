import type { Sql } from '../../platform/database/database.js';
import type { SendingCounts } from './guard-verdict.js';
import type { GuardStatus } from './guard-status.js';

/** Windows of the rates, in hours until now. */
export const RATE_WINDOWS = [1, 24, 168] as const;

/**
 * The hours of each window, by the Postgres clock. Counts before a resumption are ignored, and
 * so is the rest of its hour. `r` has the counts, `w` the window.
 */
export const WINDOWED_RATES = `
  from (values ${RATE_WINDOWS.map((hours) => `(${hours})`).join(', ')}) as w (hours)
  join sending_rates r on r.hour >= date_trunc('hour', now() - w.hours * interval '1 hour', 'UTC')
  left join sending_guards g on g.organization_id = r.organization_id
 where (g.resumed_at is null or r.hour > g.resumed_at)`;

/** $1: organization, $2: the smallest number of recipients of a domain on its own. */
const COUNTS = `
select r.domain, w.hours, sum(r.sent)::integer as sent, sum(r.bounced)::integer as bounced,
       sum(r.complained)::integer as complained
${WINDOWED_RATES} and r.organization_id = $1
 group by w.hours, grouping sets ((), (r.domain))
having grouping(r.domain) = 1 or (sum(r.sent) >= $2::integer and sum(r.bounced) + sum(r.complained) > 0)
 order by w.hours, r.domain nulls first`;

/** All domains together, and the domains that can exceed a limit. Windows without mail are missing. */
export function readCounts(sql: Sql, organizationId: string, minSent: number): Promise<SendingCounts[]> {
  return sql.query<SendingCounts & { [column: string]: unknown }>(COUNTS, [organizationId, minSent]);
}

/** $1: organization. */
const STATE = 'select state, reason, changed_at as since from sending_guards where organization_id = $1';

interface GuardState {
  readonly state: GuardStatus;
  readonly reason: string | null;
  /** Null if it was always normal. */
  readonly since: Date | null;
}

export async function readGuardState(sql: Sql, organizationId: string): Promise<GuardState> {
  const [found] = await sql.query<GuardState & { [column: string]: unknown }>(STATE, [organizationId]);
  return found ?? { state: 'normal', reason: null, since: null };
}
