/**
 * The values of `emails.status`. An email stays `queued` until it is final; its row in `pending_emails` has the
 * details.
 */
export const STORED_STATUSES = ['queued', 'sent', 'failed', 'tracked', 'canceled'] as const;

export type StoredStatus = (typeof STORED_STATUSES)[number];

/** The statuses that the API shows, see `STATUS`. */
export const EMAIL_STATUSES = ['queued', 'sending', 'sent', 'failed', 'tracked', 'scheduled', 'canceled'] as const;

export type EmailStatus = (typeof EMAIL_STATUSES)[number];

/**
 * The status of `emails e`, left-joined to its `pending_emails p`: until an email is final, only that row holds its
 * status. An email is scheduled until the time that its sender chose.
 */
export const STATUS = `case when p.email_id is null or e.status in ('sent', 'failed') then e.status
              when p.lease_token is not null then 'sending' when e.send_at > now() then 'scheduled' else 'queued' end`;
