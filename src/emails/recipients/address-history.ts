import type { Sql } from '../../platform/database/database.js';
import type { Report } from './reported-emails.js';

/** Earlier reports about an address, as far as new ones depend on them. */
export interface AddressHistory {
  /** Soft bounces after this time belong to the run: the last delivery or reset, in milliseconds. */
  runStart: number;
  /** Times of the newest soft bounces of the run, in milliseconds. */
  softBounces: number[];
  /** ID of the latest time when a recipient with this address unsubscribed or took that back; '' for none. */
  subscription: string;
  /** The same for each email of the reports. */
  readonly subscriptionOf: Map<string, string>;
}

/** Locks are taken per bucket, because their number in Postgres is limited. */
const BUCKETS = 256;
const LOCKS = 7_164_230;

/** In bucket order, so that two transactions cannot deadlock. $1 keys. */
const LOCK = `
select pg_advisory_xact_lock(${LOCKS}, bucket) from (
  select distinct abs(hashtext(key) % ${BUCKETS}) as bucket from unnest($1::text[]) as key order by bucket
) buckets`;

/**
 * Softs after the last delivery, newest first, as many as can matter. Reports of one time follow each other as they
 * arrived: a delivery ends a run of softs of its time that arrived before. A reset ends those of its whole millisecond.
 * An index has the softs, another one the type, so that no other reports are read. $1 organizations, $2 keys, $3 limit.
 */
const SOFT_RUNS = `
select a.organization_id as "organizationId", a.key, (extract(epoch from run.start) * 1000)::float8 as start,
  array(select (extract(epoch from s.occurred_at) * 1000)::float8 from delivery_events s
         where s.organization_id = a.organization_id and s.address_key = a.key and s.type = 'bounced'
           and s.bounce = 'soft' and s.occurred_at >= run.start
           and (s.occurred_at > run.start or coalesce(s.arrival, 0) > run.arrival)
         order by s.occurred_at desc limit $3) as softs
from unnest($1::uuid[], $2::text[]) as a (organization_id, key)
cross join lateral (
  select start, arrival from (
    (select occurred_at, coalesce(d.arrival, 0) from delivery_events d
      where d.organization_id = a.organization_id and d.address_key = a.key and d.type = 'delivered'
      order by occurred_at desc, d.arrival desc nulls last limit 1)
    union all
    select reset_at + interval '1 ms', -1 from soft_bounce_resets r
     where r.organization_id = a.organization_id and r.address_key = a.key
    union all
    select to_timestamp(0), -1
  ) as starts (start, arrival) order by start desc, arrival desc limit 1
) run`;

/**
 * UUIDv7 sort by their time. Reads from the newest report on, no matter how often a recipient changed their mind, and
 * no reports of other types: an index has the types that each part names. $1 organizations, $2 keys, $3 emails.
 */
const SUBSCRIPTIONS = `
select r.organization_id as "organizationId", r.key, r.email_id as "emailId",
  (select latest.id from (values ('unsubscribed'), ('resubscribed')) as of (type) cross join lateral (
     select d.id, d.occurred_at from delivery_events d
      where d.organization_id = r.organization_id and d.address_key = r.key and d.type = of.type
      order by d.occurred_at desc, d.id desc limit 1) latest
    order by latest.occurred_at desc, latest.id desc limit 1) as latest,
  (select d.id from delivery_events d
    where d.email_id = r.email_id and d.address_key = r.key and d.type in ('unsubscribed', 'resubscribed')
    order by d.occurred_at desc, d.id desc limit 1) as "latestOfEmail"
from (select distinct * from unnest($1::uuid[], $2::text[], $3::uuid[])) as r (organization_id, key, email_id)`;

/** The key of an address within all organizations. */
export function historyKey(organizationId: string, addressKey: string): string {
  return `${organizationId} ${addressKey}`;
}

/**
 * Reads the history that the new reports depend on: only soft bounces and subscriptions depend on earlier reports about
 * the same address in other emails. Locks these addresses, so that concurrent transactions see each other's reports.
 * @param softBounceLimit how many soft bounces can matter
 */
export async function readHistories(
  sql: Sql,
  reports: readonly Report[],
  softBounceLimit: number,
): Promise<ReadonlyMap<string, AddressHistory>> {
  const soft = distinct(reports.filter(({ event }) => event.fact === 'bounced' && event.bounce === 'soft'));
  const subscription = reports.filter(({ event: { fact } }) => fact === 'unsubscribed' || fact === 'resubscribed');
  const histories = new Map<string, AddressHistory>();
  if (soft.length + subscription.length === 0) return histories;
  const of = (key: string): AddressHistory => {
    let history = histories.get(key);
    if (!history) {
      history = { runStart: 0, softBounces: [], subscription: '', subscriptionOf: new Map() };
      histories.set(key, history);
    }
    return history;
  };
  for (const { email, addressKey } of [...soft, ...subscription]) of(historyKey(email.organizationId, addressKey));
  await sql.query(LOCK, [[...histories.keys()]]);
  if (soft.length > 0) {
    const runs = await sql.query<{ organizationId: string; key: string; start: number; softs: number[] }>(SOFT_RUNS, [
      soft.map(({ email }) => email.organizationId),
      soft.map(({ addressKey }) => addressKey),
      softBounceLimit,
    ]);
    for (const { organizationId, key, start, softs } of runs) {
      Object.assign(of(historyKey(organizationId, key)), { runStart: start, softBounces: softs });
    }
  }
  if (subscription.length > 0) await readSubscriptions(sql, subscription, of);
  return histories;
}

interface SubscriptionRow {
  organizationId: string;
  key: string;
  emailId: string;
  latest: string | null;
  latestOfEmail: string | null;
}

async function readSubscriptions(
  sql: Sql,
  reports: readonly Report[],
  of: (key: string) => AddressHistory,
): Promise<void> {
  const rows = await sql.query<SubscriptionRow & Record<string, unknown>>(SUBSCRIPTIONS, [
    reports.map(({ email }) => email.organizationId),
    reports.map(({ addressKey }) => addressKey),
    reports.map(({ email }) => email.id),
  ]);
  for (const { organizationId, key, emailId, latest, latestOfEmail } of rows) {
    const history = of(historyKey(organizationId, key));
    history.subscription = latest ?? '';
    if (latestOfEmail !== null) history.subscriptionOf.set(emailId, latestOfEmail);
  }
}

/** One report per address. */
function distinct(reports: readonly Report[]): Report[] {
  return [
    ...new Map(reports.map((report) => [historyKey(report.email.organizationId, report.addressKey), report])).values(),
  ];
}
