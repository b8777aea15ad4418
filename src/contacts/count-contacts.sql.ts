/**
 * CTEs `contact`, which counts new emails for their contacts, and `searchable`, which makes new contacts searchable.
 * Contacts are locked in the order of their keys, as everywhere, so that two statements cannot deadlock. The statement
 * has the parameters `organizationId` and `createdAt`.
 * @param recipients a query of the columns key, address and emails, with one row for each contact
 */
export function countContacts(recipients: string): string {
  return `contact as (
  insert into contacts (organization_id, address_key, address, emails, first_seen_at, last_activity_at)
  select :organizationId, recipient.key, recipient.address, recipient.emails, :createdAt, :createdAt
    from (${recipients}) as recipient (key, address, emails)
   order by recipient.key
  on conflict (organization_id, address_key) do update
     set emails = contacts.emails + excluded.emails,
         last_activity_at = greatest(contacts.last_activity_at, excluded.last_activity_at)
  returning id, address_key, first_seen_at
),
searchable as (
  insert into contact_search (contact_id, organization_id, letters)
  select id, :organizationId, search_letters(address_key) from contact where first_seen_at = :createdAt
  on conflict do nothing
)`;
}
