import type { Sql } from '../../platform/database/database.js';
import type { BudgetLine } from './budget.js';

/** The highest number of events that one email of an organization had in a minute. */
export interface EventUse {
  readonly line: BudgetLine;
  readonly events: number;
}

const NAMED = `unnest($1::uuid[], $2::text[], $3::timestamptz[], $4::bigint[]) as w (organization_id, budget, period, used)`;

/** Locks only rows whose number changes, so flushers rarely wait for each other. */
const RAISED = `
select w.place::integer - 1 as place
  from unnest($1::uuid[], $2::text[], $3::timestamptz[], $4::bigint[]) with ordinality
    as w (organization_id, budget, period, used, place)
  left join budget_usage u on (u.organization_id, u.budget, u.period) = (w.organization_id, w.budget, w.period)
 where u.used is null or u.used < w.used`;

const RAISE = `
insert into budget_usage as u (organization_id, budget, period, used)
select w.* from ${NAMED} where exists (select from organizations o where o.id = w.organization_id)
 order by 1, 2, 3
on conflict (organization_id, budget, period) do update set used = greatest(u.used, excluded.used)`;

/**
 * Raises the number that is shown as used.
 * @param uses at most one per organization and period
 * @returns the lines whose number rose
 */
export async function recordEventUse(sql: Sql, uses: readonly EventUse[]): Promise<BudgetLine[]> {
  if (uses.length === 0) return [];
  const rows = await sql.query<{ place: number }>(RAISED, columnsOf(uses));
  const raised = rows.map(({ place }) => uses[place]!);
  if (raised.length > 0) await sql.query(RAISE, columnsOf(raised));
  return raised.map(({ line }) => line);
}

function columnsOf(uses: readonly EventUse[]): unknown[] {
  return [
    uses.map(({ line }) => line.organizationId),
    uses.map(({ line }) => line.budget),
    uses.map(({ line }) => new Date(line.period)),
    uses.map(({ events }) => events),
  ];
}
