import { Statement } from '../../platform/database/statement.js';

const LEASES = { emailIds: 'uuid[]', tokens: 'uuid[]' } as const;

/** Locks the emails whose leases this worker still holds. */
const heldLeases = (locking = ''): string => `held as (
  select p.email_id from pending_emails p join unnest(:emailIds, :tokens) as l (id, token)
      on p.email_id = l.id and p.lease_token = l.token
   order by p.email_id for update of p ${locking}
)`;

/** Skips locked emails: the leases of all others would expire while it waits. */
export const RENEW_LEASES = new Statement(
  'renew-leases',
  { ...LEASES, leaseMs: 'integer' },
  `with ${heldLeases('skip locked')}
update pending_emails p set lease_until = now() + :leaseMs * interval '1 ms' from held where p.email_id = held.email_id`,
);

/** The emails keep their place in the dispatch window, because their next jobs follow at once. */
export const RELEASE_LEASES = new Statement(
  'release-leases',
  LEASES,
  `with ${heldLeases()}
update pending_emails p
   set lease_token = null, lease_until = null, attempts = attempts - 1, dispatched_at = now()
  from held where p.email_id = held.email_id`,
);

/**
 * Undoes claims whose response was lost. A claim that has not run yet, because its connection hangs, finds another
 * generation and fails.
 */
export const GIVE_BACK = new Statement(
  'give-back-emails',
  { ...LEASES, generations: 'integer[]' },
  `with lost as (
  select p.email_id, p.lease_token is not null as is_claimed
    from pending_emails p
    join unnest(:emailIds, :tokens, :generations) as b (id, token, generation) on p.email_id = b.id
   where p.lease_token = b.token or (p.lease_token is null and p.generation = b.generation)
   order by p.email_id for update of p
)
update pending_emails p
   set lease_token = null, lease_until = null, attempts = attempts - lost.is_claimed::integer, dispatched_at = null,
       generation = generation + 1
  from lost where p.email_id = lost.email_id`,
);
