/**
 * CTEs that cancel the pending emails that the CTE `free` has locked: `gone`, `locked` and `email`.
 * @param returned columns of the emails, which are called `e`
 */
export function canceledEmails(returned: string): string {
  return `gone as (
  delete from pending_emails p using free where p.email_id = free.email_id
  returning p.email_id, p.attempts, p.provider_id, p.last_error, p.possible_duplicate
), locked as (
  select e.id from emails e join gone on gone.email_id = e.id order by e.id for no key update of e
), email as (
  update emails e
     set status = 'canceled', canceled_at = now(), attempts = gone.attempts, last_error = gone.last_error,
         provider_id = gone.provider_id, possible_duplicate = gone.possible_duplicate
    from gone join locked on locked.id = gone.email_id where e.id = gone.email_id
  returning ${returned}
)`;
}
