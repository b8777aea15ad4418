import { ERASED_SUPPRESSION_REASONS } from '../../events/recipient-event.js';
import { isOneOf } from '../../platform/database/one-of.js';

/**
 * Deletes the suppressions of a person. Complaints and unsubscriptions stay as a keyed hash, so that the person gets no
 * mail again by accident. $1 organization, $2 key, $3 the emails that caused them, or null for all.
 */
export const FORGET_SUPPRESSIONS = `
with gone as (
  delete from suppressions
   where organization_id = $1 and address_key = $2 and ($3::uuid[] is null or email_id = any($3))
  returning reason, created_at
), kept as (
  insert into erased_suppressions (organization_id, address_hash, reason, created_at)
  select $1, person_hash($1, $2), reason, created_at from gone where ${isOneOf('reason', ERASED_SUPPRESSION_REASONS)}
  on conflict do nothing
)
select reason from gone`;
