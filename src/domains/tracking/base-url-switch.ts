import type { Sql } from '../../platform/database/database.js';

/**
 * Milliseconds until a change takes effect. By then its transaction has ended and every process knows it, so that all
 * agree on the addresses in an email from its time of creation alone.
 */
export const LEAD_MS = 10_000;

/**
 * How often an organization may begin to use a domain in 24 hours. Periods are kept forever, because emails depend on
 * them, and DNS records that come and go could make one with each check.
 */
const MAX_BEGUN_A_DAY = 20;
const DAY_MS = 86_400_000;

/** Serializes the changes to the tracking domains of an organization. Must come before other locks of their rows. */
export async function lockTrackingDomains(sql: Sql, organizationId: string): Promise<void> {
  await sql.query('select from tracking_domains where organization_id = $1 order by id for update', [organizationId]);
}

/**
 * Lets new emails of the organization use the domain that was verified last and whose records were found, or BASE_URL
 * if there is none. Beyond `MAX_BEGUN_A_DAY` they keep the domain in use for as long as its records are found; a later
 * check begins to use the other one.
 * @param sql a transaction that holds the lock of `lockTrackingDomains`
 * @param scheme of the addresses
 * @param now in milliseconds, read while the lock is held
 */
export async function switchBaseUrl(
  sql: Sql,
  organizationId: string,
  scheme: 'http' | 'https',
  now: number,
): Promise<void> {
  const usable = await sql.query<{ domain: string }>(
    `select domain from tracking_domains
      where organization_id = $1 and status = 'verified' and missing_since is null
      order by verified_at desc, id desc`,
    [organizationId],
  );
  const [chosen] = usable;
  const baseUrl = chosen ? `${scheme}://${chosen.domain}` : null;
  const [current] = await sql.query<{ domain: string; base_url: string }>(
    'select domain, base_url from tracking_base_urls where organization_id = $1 and used_until is null',
    [organizationId],
  );
  if (baseUrl === (current?.base_url ?? null)) return;
  const mayBegin = chosen !== undefined && (await begunSince(sql, organizationId, now - DAY_MS)) < MAX_BEGUN_A_DAY;
  if (chosen && !mayBegin && usable.some(({ domain }) => domain === current?.domain)) return;
  const at = await nextStart(sql, organizationId, now + LEAD_MS);
  await sql.query('update tracking_base_urls set used_until = $2 where organization_id = $1 and used_until is null', [
    organizationId,
    at,
  ]);
  if (!chosen || !mayBegin) return;
  await sql.query(
    'insert into tracking_base_urls (organization_id, used_from, domain, base_url) values ($1, $2, $3, $4)',
    [organizationId, at, chosen.domain, baseUrl],
  );
}

/** The number of periods, up to the limit. */
async function begunSince(sql: Sql, organizationId: string, since: number): Promise<number> {
  const begun = await sql.query(
    `select from tracking_base_urls where organization_id = $1 and used_from > $2 limit ${MAX_BEGUN_A_DAY}`,
    [organizationId, new Date(since)],
  );
  return begun.length;
}

/** Comes after the last change, which may be by a host whose clock is ahead: of two periods, the later one counts. */
async function nextStart(sql: Sql, organizationId: string, earliest: number): Promise<Date> {
  const [row] = await sql.query<{ at: Date }>(
    `select greatest($2::timestamptz,
                     (select greatest(used_from + interval '1 ms', used_until) from tracking_base_urls
                       where organization_id = $1 order by used_from desc limit 1)) as at`,
    [organizationId, new Date(earliest)],
  );
  return row!.at;
}
