import type { PlantedFault } from './planted-fault.js';
import { ACCEPTED_AND_REPORTED, API_KILLED, ROLLING_RESTART, WORKER_KILLED } from './proof-setups.js';

/** Mistakes in what happens after a process has died or stopped. */
export const RECOVERY_FAULTS: readonly PlantedFault[] = [
  {
    name: 'idempotency keys are not read',
    patches: [
      {
        file: 'emails/idempotency/idempotent-request.ts',
        search: 'if (key === undefined) return undefined;',
        replace: 'if (key !== null) return undefined;',
      },
    ],
    setup: API_KILLED,
  },
  {
    name: 'an email without a job is never queued again',
    patches: [{ file: 'emails/delivery/email-recovery.ts', search: 'await this.requeueOverdue();', replace: '' }],
    setup: API_KILLED,
  },
  {
    name: 'an email whose worker died is never taken over',
    patches: [{ file: 'emails/delivery/email-recovery.ts', search: 'await this.settleAbandoned();', replace: '' }],
    setup: WORKER_KILLED,
  },
  {
    name: 'a second copy is not flagged',
    patches: [
      {
        file: 'emails/delivery/delivery-policy.ts',
        search: 'countsAsAttempt: true, possibleDuplicate: true',
        replace: 'countsAsAttempt: true',
      },
    ],
    setup: WORKER_KILLED,
  },
  {
    name: 'each copy has a Message-ID of its own',
    patches: [
      {
        file: 'providers/sendgrid/mail-send-body.ts',
        search: "'Message-ID': `<${email.messageId}>`,",
        replace: "'Message-ID': `<${email.attempt}.${email.messageId}>`,",
      },
    ],
    setup: WORKER_KILLED,
  },
  {
    name: 'a stopping process does not wait for its balancer',
    patches: [{ file: 'roles/run-roles.ts', search: 'await setTimeout(serveOnMs);', replace: '' }],
    setup: ROLLING_RESTART,
  },
  {
    name: 'a report of the provider does not settle a doubt',
    patches: [
      {
        file: 'emails/delivery/reports-in-doubt.ts',
        search: 'const reported = hasReport && remaining.length === 0;',
        replace: 'const reported = false;',
      },
    ],
    setup: ACCEPTED_AND_REPORTED,
  },
];
