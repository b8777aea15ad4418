/** The status of `emails e`, left-joined to its `pending_emails p`: while a worker has the email, only that row says so. */
export const STATUS = `case when e.status = 'queued' and p.lease_token is not null then 'sending' else e.status end`;
