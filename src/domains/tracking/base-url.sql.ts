/** SQL of the base URL of the tracking domain in an email; null if its addresses begin with BASE_URL. `e`: its row. */
export const TRACKING_BASE_URL = `(
  select case when u.used_until is null or u.used_until > e.created_at then u.base_url end from tracking_base_urls u
   where u.organization_id = e.organization_id and u.used_from <= e.created_at
   order by u.used_from desc limit 1)`;
