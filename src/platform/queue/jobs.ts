/** All BullMQ keys have the same hash tag, so that they share a slot in Redis Cluster. */
export const QUEUE_PREFIX = '{mailbeacon}';

/** One queue per kind of work, so that slow webhooks never delay mail. */
export const QUEUES = { emails: 'emails', webhooks: 'webhooks' } as const;

/**
 * All jobs with their payloads. Jobs carry IDs, never content: content in Redis would cost four times the CPU and
 * become stale.
 */
export interface Jobs {
  /** `waitingInstance` is the API instance that waits for the result, if any. */
  'send-email': { readonly emailId: string; readonly waitingInstance?: string };
  /** A batch of emails of one broadcast. Jobs in Redis have this name. */
  'send-emails-together': { readonly emailIds: readonly string[] };
  'deliver-webhook': { readonly deliveryId: string };
}

export type JobName = keyof Jobs;

export const queueOfJob = {
  'send-email': QUEUES.emails,
  'send-emails-together': QUEUES.emails,
  'deliver-webhook': QUEUES.webhooks,
} as const satisfies Record<JobName, string>;

/** Recurring jobs with their intervals. They are not jobs of a queue: see `RecurringRuns`. */
export const recurringJobs = {
  'recover-emails': { everyMs: 5_000 },
  'release-held-mail': { everyMs: 5_000 },
  'forget-idempotency-keys': { everyMs: 3_600_000 },
  'forget-attachments': { everyMs: 3_600_000 },
  'forget-audit-entries': { everyMs: 3_600_000 },
  'forget-bodies': { everyMs: 3_600_000 },
  'sweep-webhooks': { everyMs: 5_000 },
  'forget-webhook-deliveries': { everyMs: 3_600_000 },
  'recheck-domains': { everyMs: 600_000 },
  'recheck-tracking-domains': { everyMs: 600_000 },
  'keep-events': { everyMs: 3_600_000 },
  'count-earlier-people': { everyMs: 60_000 },
  'count-earlier-stats': { everyMs: 60_000 },
  'fold-stats': { everyMs: 10_000 },
  'guard-sending': { everyMs: 60_000 },
  'delete-organizations': { everyMs: 10_000 },
  'cancel-mail': { everyMs: 5_000 },
  'measure-storage': { everyMs: 3_600_000 },
} as const satisfies Record<string, { everyMs: number }>;

export type RecurringJob = keyof typeof recurringJobs;
