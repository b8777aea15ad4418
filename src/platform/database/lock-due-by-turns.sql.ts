/** If fewer rows are due, they are read; if more are, each organization that has any is looked up. */
const MANY = 500;

/**
 * SQL that locks the row of long work that is due: of the organization whose turn was longest ago, the one that has
 * waited longest for its step. Other workers skip it until the step is done. One organization may have many thousands
 * that are due, so not all of them are read. $1 the organizations of the latest turns, see `OrganizationTurns`.
 * @param table with `id`, `organization_id` and `step_at`, an index on `step_at` and one on both others
 * @param columns of the locked row, apart from its organization, which is `organization_id`
 */
export function lockDueByTurns(table: string, columns: string): string {
  return `
with recursive earliest as materialized (
  select organization_id, step_at from ${table} where step_at <= now() order by step_at limit ${MANY}
), organizations as (
  (select organization_id, step_at from ${table}
    where step_at is not null and (select count(*) from earliest) = ${MANY}
    order by organization_id, step_at limit 1)
  union all
  select following.* from organizations o, lateral (
    select organization_id, step_at from ${table}
     where step_at is not null and organization_id > o.organization_id order by organization_id, step_at limit 1) following
), due as (
  select organization_id, min(step_at) as step_at
    from (select * from earliest union all select * from organizations where step_at <= now()) found
   group by organization_id
   order by coalesce(array_position($1::uuid[], organization_id), 0), min(step_at)
)
-- Stops at the first organization with one that no other worker has locked. Rows are compared, because for one organization
-- Postgres would scan the index of all due rows until it finds one of the organization.
select locked.*, due.organization_id
  from due cross join lateral (
    select ${columns} from ${table} w
     where w.step_at <= now() and (w.organization_id, w.step_at) between (due.organization_id, due.step_at) and (due.organization_id, now())
     order by w.organization_id, w.step_at limit 1 for no key update skip locked) locked
 limit 1`;
}
