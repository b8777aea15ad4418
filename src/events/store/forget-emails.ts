/** Records that emails are gone, if there is an event store. $1: IDs of the emails, before they are gone. */
export const FORGET_EMAILS = `
insert into event_store_changes (email)
select tracking_id from emails where id = any($1::uuid[]) and exists (select from event_store)`;
