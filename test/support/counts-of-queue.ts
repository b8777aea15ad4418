import { ALL_CAMPAIGNS } from '../../src/campaigns/stats/stat-counters.js';
import type { Database } from '../../src/platform/database/database.js';
import { ENDS, type MixedQueue } from './mixed-queue.js';

/** All counters that depend on these emails, as expected after their cancellation. */
export interface Counts {
  readonly statuses: Record<string, number>;
  readonly wrong: string[];
  readonly pending: number;
  readonly contacts: Record<string, number>;
  readonly members: string[];
  readonly campaigns: Record<string, number>;
  /** Keyed by the hour of acceptance. */
  readonly accepted: Record<string, number>;
  readonly sent: number;
  readonly failed: number;
}

/** Derived from the plan alone. */
export function expectedCounts({ emails, contactIds, campaignIds }: MixedQueue): Counts {
  const count = <Item>(items: readonly Item[], name: (item: Item) => string) => {
    const counts: Record<string, number> = {};
    for (const item of items) counts[name(item)] = (counts[name(item)] ?? 0) + 1;
    return counts;
  };
  const left = emails.filter(({ kind }) => kind === 'reached' || kind === 'claimed');
  const inCampaigns = left.filter(({ campaign }) => campaign >= 0);
  const pairs = inCampaigns.flatMap(({ contacts, campaign }) =>
    contacts.map((contact) => `${contactIds[contact]} ${campaignIds[campaign]}`),
  );
  const of = (kind: string) => emails.filter((email) => email.kind === kind).length;
  return {
    statuses: count(emails, ({ kind }) => ENDS[kind]),
    wrong: [],
    pending: of('claimed'),
    contacts: count(
      left.flatMap(({ contacts }) => contacts),
      (contact) => contactIds[contact]!,
    ),
    members: [...new Set(pairs)].sort(),
    campaigns: count(inCampaigns, ({ campaign }) => campaignIds[campaign]!),
    accepted: count(left, ({ hour }) => String(hour)),
    sent: of('reached'),
    failed: of('doubtful'),
  };
}

/** The same counters, read from the tables, without zeros. */
export async function storedCounts(database: Database, organizationId: string, queue: MixedQueue): Promise<Counts> {
  const pairs = async (sql: string, values: unknown[] = [organizationId]) =>
    Object.fromEntries(
      (await database.query<{ name: string; count: number }>(sql, values)).map(({ name, count }) => [name, count]),
    );
  const names = async (sql: string, values: unknown[]) =>
    (await database.query<{ name: string }>(sql, values)).map(({ name }) => name);
  const stats = `(select hour, emails, sent, failed from stat_deltas where organization_id = $1
    union all select hour, emails, sent, failed from hourly_stats
     where organization_id = $1 and campaign_id = '${ALL_CAMPAIGNS}') as stats`;
  const sums = await pairs(
    `select name, sum(count)::integer as count
       from (select unnest(array['sent', 'failed']) as name, unnest(array[sent, failed]) as count from ${stats}) s group by 1`,
  );
  const ids = queue.emails.map(({ id }) => id);
  const ends = queue.emails.map(({ kind }) => ENDS[kind]);
  const pending = await pairs(
    `select 'pending' as name, count(*)::integer as count from pending_emails where organization_id = $1`,
  );
  return {
    statuses: await pairs(
      'select status as name, count(*)::integer as count from emails where organization_id = $1 group by 1',
    ),
    wrong: await names(
      `select e.status || ' instead of ' || x.status as name from unnest($1::uuid[], $2::text[]) x (id, status)
         join emails e on e.id = x.id where e.status <> x.status limit 5`,
      [ids, ends],
    ),
    pending: pending.pending!,
    contacts: await pairs(
      'select id::text as name, emails::integer as count from contacts where organization_id = $1 and emails <> 0',
    ),
    members: (
      await names(
        `select contact_id || ' ' || m.campaign_id as name from contact_campaigns m join contacts c on c.id = m.contact_id
          where c.organization_id = $1`,
        [organizationId],
      )
    ).sort(),
    campaigns: await pairs(
      `select campaign_id::text as name, sum(emails)::integer as count from campaign_totals t
         join campaigns c on c.id = t.campaign_id where c.organization_id = $1 group by 1 having sum(emails) <> 0`,
    ),
    accepted: await pairs(
      `select (extract(epoch from hour - '2026-01-01Z') / 3600)::integer::text as name, sum(emails)::integer as count
         from ${stats} group by 1 having sum(emails) <> 0`,
    ),
    sent: sums.sent ?? 0,
    failed: sums.failed ?? 0,
  };
}
