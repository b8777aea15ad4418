import { isOwnProvider } from '../../../organizations/providers/own-provider-id.sql.js';

/**
 * SQL: the IDs and versions of the providers that the organization of an email has for it, as text that changes with
 * each of them; null if the service's providers send it. They send mail from senders at the platform's domain, and mail
 * that one of them has for other recipients, or may have. Tables: `emails e`, `email_contents c`, `pending_emails p`.
 * @param platformDomain SQL of the platform's domain
 */
export function ownProviders(platformDomain: string): string {
  return `case when right(rtrim(c.sender, '>'), length(${platformDomain}) + 1) <> '@' || ${platformDomain}
                 and ((p.possible_duplicate or p.provider_id is not null) is not true or coalesce(${isOwnProvider('p.provider')}, true))
               then (select string_agg(own.id || '.' || own.version, ',' order by own.id)
                       from organization_providers own where own.organization_id = e.organization_id) end`;
}
