import type { PlantedFault } from './planted-fault.js';
import { BROADCAST_CANCELED, BROADCAST_FLUSHED, BROADCAST_WITHOUT_POSTGRES } from './proof-setups.js';

/** Mistakes in the sending of broadcasts. */
export const BROADCAST_FAULTS: readonly PlantedFault[] = [
  {
    name: 'a broadcast: its emails are not queued again when Redis lost their jobs',
    patches: [
      {
        file: 'emails/dispatch/dispatch-window.ts',
        search: 'where dispatched_at is not null and lease_token is null',
        replace: 'where dispatched_at is not null and lease_token is null and broadcast_id is null',
      },
      {
        file: 'emails/delivery/abandoned-emails.ts',
        search: "and dispatched_at < now() - $1 * interval '1 ms'",
        replace: "and dispatched_at < now() - $1 * interval '1 ms' and broadcast_id is null",
      },
    ],
    setup: BROADCAST_FLUSHED,
  },
  {
    name: 'a broadcast: a step that fails without Postgres is not repeated',
    patches: [
      {
        file: 'broadcasts/sending/broadcast-runner.ts',
        search: 'return ERROR_BACKOFF_MS;',
        replace: 'return 3_600 * ERROR_BACKOFF_MS;',
      },
    ],
    setup: BROADCAST_WITHOUT_POSTGRES,
  },
  {
    name: 'a broadcast: it continues while it is paused',
    patches: [
      {
        file: 'broadcasts/sending/broadcast-step.ts',
        search: 'return this.park(sql, broadcast);',
        replace: 'return this.send(sql, broadcast, counts, subjects);',
      },
      {
        file: 'emails/delivery/claim-statement.ts',
        search: "b.status in ('paused', 'canceled')",
        replace: "b.status in ('canceled')",
      },
    ],
    setup: BROADCAST_CANCELED,
  },
];
