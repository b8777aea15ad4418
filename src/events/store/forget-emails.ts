/** Records the deletion of emails, if there is an event store. $1: IDs of the emails, before they are deleted. */
export const FORGET_EMAILS = `
insert into event_store_changes (email)
select tracking_id from emails where id = any($1::uuid[]) and exists (select from event_store)`;
