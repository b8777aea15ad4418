/** All BullMQ keys have the same hash tag, so that they share a slot in Redis Cluster. */
export const QUEUE_PREFIX = '{mailbeacon}';

/** One queue per kind of work, so that slow webhooks never delay mail. */
export const QUEUES = { emails: 'emails', webhooks: 'webhooks', recurring: 'recurring' } as const;

/**
 * All jobs with their payloads. Jobs carry IDs, never content: content in Redis would cost four times the CPU and
 * become stale.
 */
export interface Jobs {
  /** `waitingInstance` is the API instance that waits for the result, if any. */
  'send-email': { readonly emailId: string; readonly waitingInstance?: string };
  /** Emails of one broadcast. */
  'send-emails-together': { readonly emailIds: readonly string[] };
  'deliver-webhook': { readonly deliveryId: string };
  'recover-emails': Record<string, never>;
  'forget-idempotency-keys': Record<string, never>;
  'forget-attachments': Record<string, never>;
  'forget-audit-entries': Record<string, never>;
  'forget-bodies': Record<string, never>;
  'sweep-webhooks': Record<string, never>;
  'forget-webhook-deliveries': Record<string, never>;
  'recheck-domains': Record<string, never>;
  'keep-events': Record<string, never>;
  'count-earlier-people': Record<string, never>;
  'count-earlier-stats': Record<string, never>;
  'fold-stats': Record<string, never>;
  'guard-sending': Record<string, never>;
  'delete-organizations': Record<string, never>;
  'cancel-mail': Record<string, never>;
  'measure-storage': Record<string, never>;
}

export type JobName = keyof Jobs;

export const queueOfJob = {
  'send-email': QUEUES.emails,
  'send-emails-together': QUEUES.emails,
  'deliver-webhook': QUEUES.webhooks,
  'recover-emails': QUEUES.recurring,
  'forget-idempotency-keys': QUEUES.recurring,
  'forget-attachments': QUEUES.recurring,
  'forget-audit-entries': QUEUES.recurring,
  'forget-bodies': QUEUES.recurring,
  'sweep-webhooks': QUEUES.recurring,
  'forget-webhook-deliveries': QUEUES.recurring,
  'recheck-domains': QUEUES.recurring,
  'keep-events': QUEUES.recurring,
  'count-earlier-people': QUEUES.recurring,
  'count-earlier-stats': QUEUES.recurring,
  'fold-stats': QUEUES.recurring,
  'guard-sending': QUEUES.recurring,
  'delete-organizations': QUEUES.recurring,
  'cancel-mail': QUEUES.recurring,
  'measure-storage': QUEUES.recurring,
} as const satisfies Record<JobName, string>;

/** Recurring jobs with their intervals. */
export const recurringJobs = {
  'recover-emails': { everyMs: 10_000 },
  'forget-idempotency-keys': { everyMs: 3_600_000 },
  'forget-attachments': { everyMs: 3_600_000 },
  'forget-audit-entries': { everyMs: 3_600_000 },
  'forget-bodies': { everyMs: 3_600_000 },
  'sweep-webhooks': { everyMs: 5_000 },
  'forget-webhook-deliveries': { everyMs: 3_600_000 },
  'recheck-domains': { everyMs: 600_000 },
  'keep-events': { everyMs: 3_600_000 },
  'count-earlier-people': { everyMs: 60_000 },
  'count-earlier-stats': { everyMs: 60_000 },
  'fold-stats': { everyMs: 10_000 },
  'guard-sending': { everyMs: 60_000 },
  'delete-organizations': { everyMs: 10_000 },
  'cancel-mail': { everyMs: 5_000 },
  'measure-storage': { everyMs: 3_600_000 },
} as const satisfies Partial<Record<JobName, { everyMs: number }>>;
