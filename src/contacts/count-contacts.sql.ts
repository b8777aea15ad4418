/**
 * CTEs `contact`, which counts new emails for their contacts, and `searchable`, which makes new contacts searchable.
 * Contacts are locked in the order of their keys, as everywhere, so that two statements cannot deadlock. The statement
 * has the parameter `organizationId`.
 * @param recipients a query of the columns key, address, emails, and the times of the first and the last of these
 *   emails, with one row for each contact
 * @param since the earliest of these times
 */
export function countContacts(recipients: string, since: string): string {
  return `contact as (
  insert into contacts (organization_id, address_key, address, emails, first_seen_at, last_activity_at)
  select :organizationId, recipient.key, recipient.address, recipient.emails, recipient.first_at, recipient.last_at
    from (${recipients}) as recipient (key, address, emails, first_at, last_at)
   order by recipient.key
  on conflict (organization_id, address_key) do update
     set emails = contacts.emails + excluded.emails,
         first_seen_at = case when contacts.emails > 0 then least(contacts.first_seen_at, excluded.first_seen_at)
                              else excluded.first_seen_at end,
         last_activity_at = greatest(contacts.last_activity_at, excluded.last_activity_at)
  returning id, address_key, first_seen_at
),
searchable as (
  insert into contact_search (contact_id, organization_id, letters)
  select id, :organizationId, search_letters(address_key) from contact where first_seen_at >= ${since}
  on conflict do nothing
)`;
}
