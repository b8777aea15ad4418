import type { Sql } from '../../../src/platform/database/database.js';
import { MACHINE_VERDICTS } from '../../../src/events/verdict.js';

/** Figures by campaign and hour, without rows in which all are 0. */
export type HourlyFigures = Readonly<Record<string, Readonly<Record<string, number>>>>;

const FIGURES = ['opens', 'clicks', 'machine_opens', 'machine_clicks', 'unique_opens', 'unique_clicks'];

/** The stored figures, folded or not. */
export async function storedHours(sql: Sql): Promise<HourlyFigures> {
  return figuresOf(
    await sql.query(`select campaign_id || ' ' || hour as key, ${FIGURES.map((name) => `sum(${name})::int as ${name}`).join(', ')}
      from (select campaign_id, hour, ${FIGURES.join(', ')} from stat_deltas union all
            select campaign_id, hour, ${FIGURES.join(', ')} from hourly_stats) counted
     where campaign_id in (select id from campaigns) group by 1`),
  );
}

/** The figures derived from the stored events. */
export async function hoursOfEvents(sql: Sql): Promise<HourlyFigures> {
  const isMachine = `verdict = any('{${MACHINE_VERDICTS.join(',')}}'::int[])`;
  const first = (type: string) =>
    `(not ${isMachine} and v.type = '${type}' and v.occurred_at = min(v.occurred_at)
       filter (where not ${isMachine} and v.type = '${type}') over (partition by v.email_id))`;
  // Of several first hits at the same time, one counts.
  return figuresOf(
    await sql.query(`with hit as (
      select e.campaign_id || ' ' || date_trunc('hour', v.occurred_at, 'UTC') as key, v.email_id, v.type, v.verdict,
             ${first('opened')} as is_first_open, ${first('clicked')} as is_first_click
        from events v join emails e on e.id = v.email_id
       where v.type <> 'sent' and v.ordinal = 1 and e.campaign_id is not null)
    select key, count(*) filter (where type = 'opened')::int as opens, count(*) filter (where type = 'clicked')::int as clicks,
           count(*) filter (where type = 'opened' and ${isMachine})::int as machine_opens,
           count(*) filter (where type = 'clicked' and ${isMachine})::int as machine_clicks,
           count(distinct email_id) filter (where is_first_open)::int as unique_opens,
           count(distinct email_id) filter (where is_first_click)::int as unique_clicks
      from hit group by key`),
  );
}

function figuresOf(rows: readonly Record<string, unknown>[]): HourlyFigures {
  const figures = rows.map(({ key, ...counts }) => [
    String(key),
    Object.fromEntries(Object.entries(counts).map(([name, count]) => [name, Number(count ?? 0)])),
  ]) as [string, Record<string, number>][];
  return Object.fromEntries(figures.filter(([, counts]) => Object.values(counts).some((count) => count !== 0)));
}
