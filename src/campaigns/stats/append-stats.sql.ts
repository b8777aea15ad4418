/**
 * Records failed or canceled emails: subtracts them from the hour of their acceptance, and adds failures to the hour of
 * the failure.
 * @param emails a relation of the emails after the change
 */
export function appendUncounted(emails: string): string {
  return append(emails, -1);
}

/**
 * Records that failed emails are queued again.
 * @param emails a relation of emails, with `failed_at` from before the change
 */
export function appendRecounted(emails: string): string {
  return append(emails, 1);
}

/**
 * Records sent emails in the hours in which they were sent.
 * @param emails a relation of emails; those that were not sent are ignored
 */
export function appendSent(emails: string): string {
  return `insert into stat_deltas (organization_id, campaign_id, hour, sent)
  select e.organization_id, e.campaign_id, date_trunc('hour', e.sent_at, 'UTC'), count(*) from ${emails} e
   where e.in_stats and e.sent_at is not null group by 1, 2, 3`;
}

function append(emails: string, sign: 1 | -1): string {
  return `insert into stat_deltas (organization_id, campaign_id, hour, emails, failed)
  select e.organization_id, e.campaign_id, date_trunc('hour', fact.at, 'UTC'), sum(fact.emails), sum(fact.failed)
    from ${emails} e cross join lateral (values (e.created_at, ${sign}, 0), (e.failed_at, 0, ${-sign})) as fact (at, emails, failed)
   where e.in_stats and fact.at is not null group by 1, 2, 3`;
}
