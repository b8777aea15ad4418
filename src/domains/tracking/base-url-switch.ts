import type { Sql } from '../../platform/database/database.js';

/**
 * Milliseconds until a change takes effect. By then its transaction has ended and every process knows it, so that all
 * agree on the addresses in an email from its time of creation alone.
 */
export const LEAD_MS = 10_000;

/** Serializes the changes to the tracking domains of an organization. Must come before other locks of their rows. */
export async function lockTrackingDomains(sql: Sql, organizationId: string): Promise<void> {
  await sql.query('select from tracking_domains where organization_id = $1 order by id for update', [organizationId]);
}

/**
 * Lets new emails of the organization use the domain that was verified last and whose records were found, or BASE_URL if
 * there is none.
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
  const [chosen] = await sql.query<{ domain: string }>(
    `select domain from tracking_domains
      where organization_id = $1 and status = 'verified' and missing_since is null
      order by verified_at desc, id desc limit 1`,
    [organizationId],
  );
  const baseUrl = chosen ? `${scheme}://${chosen.domain}` : null;
  const [current] = await sql.query<{ base_url: string }>(
    'select base_url from tracking_base_urls where organization_id = $1 and used_until is null',
    [organizationId],
  );
  if (baseUrl === (current?.base_url ?? null)) return;
  const at = await nextStart(sql, organizationId, now + LEAD_MS);
  await sql.query('update tracking_base_urls set used_until = $2 where organization_id = $1 and used_until is null', [
    organizationId,
    at,
  ]);
  if (!chosen) return;
  await sql.query(
    'insert into tracking_base_urls (organization_id, used_from, domain, base_url) values ($1, $2, $3, $4)',
    [organizationId, at, chosen.domain, baseUrl],
  );
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
