import type { WebhookEventType } from './webhook-events.js';

export interface NewWebhook {
  readonly url: string;
  readonly events: readonly WebhookEventType[];
  /** Whether it receives only opens and clicks by people. */
  readonly people: boolean;
}

export interface WebhookChanges extends Partial<NewWebhook> {
  readonly enabled?: boolean;
}

/** Why a webhook is disabled: a request of the organization, a 410 response, or five days of failures. */
export const DISABLED_REASONS = ['requested', 'gone', 'failing'] as const;

export type DisabledReason = (typeof DISABLED_REASONS)[number];

/** A webhook in responses, without its secret. */
export interface WebhookView {
  readonly id: string;
  readonly url: string;
  readonly events: readonly WebhookEventType[];
  readonly enabled: boolean;
  /** True when it receives only opens and clicks by people. */
  readonly people: boolean;
  readonly disabledAt: string | null;
  readonly disabledReason: DisabledReason | null;
  /** Time of the first failure since the last success. */
  readonly failingSince: string | null;
  readonly createdAt: string;
}

/** Only creation and rotation return the secret. */
export interface WebhookWithSecret extends WebhookView {
  readonly secret: string;
}

export interface WebhookRow {
  id: string;
  url: string;
  events: WebhookEventType[];
  enabled: boolean;
  people: boolean;
  disabled_at: Date | null;
  disabled_reason: WebhookView['disabledReason'];
  failing_since: Date | null;
  created_at: Date;
}

export const WEBHOOK_COLUMNS =
  'id, url, events, enabled, people, disabled_at, disabled_reason, failing_since, created_at';

export function toWebhookView(row: WebhookRow): WebhookView {
  return {
    id: row.id,
    url: row.url,
    events: row.events,
    enabled: row.enabled,
    people: row.people,
    disabledAt: row.enabled ? null : (row.disabled_at?.toISOString() ?? null),
    disabledReason: row.enabled ? null : row.disabled_reason,
    failingSince: row.failing_since?.toISOString() ?? null,
    createdAt: row.created_at.toISOString(),
  };
}
