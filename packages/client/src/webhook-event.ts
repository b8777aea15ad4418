import type { BudgetsUsage } from './api-types.js';

/** The email that an event is about. */
export interface WebhookEmail {
  readonly id: string;
  readonly emailTrackingId: string;
  readonly from: string | null;
  readonly to: readonly string[];
  readonly subject: string;
  readonly campaign: string | null;
  readonly metadata: Readonly<Record<string, unknown>> | null;
}

/** What caused an open or a click. */
export interface WebhookEngagement extends WebhookEmail {
  readonly occurredAt: string;
  readonly class: 'human' | 'proxy' | 'prefetch' | 'preview' | 'scanner' | 'bot';
  readonly reason: string;
  readonly certainty: 'certain' | 'probable';
}

/** A change about one recipient. */
export interface WebhookRecipient extends WebhookEmail {
  readonly recipient: string;
  readonly reason: string | null;
  readonly smtpStatus: string | null;
  readonly bounce: 'hard' | 'soft' | null;
  readonly occurredAt: string;
}

type GuardState = 'normal' | 'warned' | 'slowed' | 'paused';

/** A change of the guard that watches bounces and complaints. */
export interface WebhookGuard {
  readonly state: GuardState;
  readonly before: GuardState;
  readonly reason: string;
  readonly domain: string | null;
  readonly rates: readonly {
    readonly fact: 'bounced' | 'complained';
    readonly domain: string | null;
    readonly hours: number;
    readonly sent: number;
    readonly count: number;
    readonly rate: number;
    readonly limit: number;
  }[];
  readonly since: string;
}

/** The organization used 80 % of a budget. */
export interface WebhookBudget {
  readonly budget: keyof BudgetsUsage;
  readonly used: number;
  readonly limit: number;
  readonly renewsAt: string | null;
}

interface Described<Type extends string, Data> {
  readonly type: Type;
  /** Time of the event (ISO 8601). */
  readonly timestamp: string;
  readonly data: Data;
}

type RecipientEvent =
  | 'EMAIL_DELIVERED'
  | 'EMAIL_DEFERRED'
  | 'EMAIL_BOUNCED'
  | 'EMAIL_COMPLAINED'
  | 'EMAIL_SUPPRESSED'
  | 'EMAIL_UNSUBSCRIBED'
  | 'EMAIL_RESUBSCRIBED';

/** An event that a webhook receives. New types may be added: ignore those that you do not know. */
export type WebhookEvent =
  | Described<'EMAIL_SENT', WebhookEmail & { readonly sentAt: string }>
  | Described<'EMAIL_FAILED', WebhookEmail & { readonly failedAt: string; readonly reason: string | null }>
  | Described<'EMAIL_OPENED', WebhookEngagement>
  | Described<'EMAIL_CLICKED', WebhookEngagement & { readonly url: string }>
  | Described<RecipientEvent, WebhookRecipient>
  | Described<'SENDING_GUARD_CHANGED', WebhookGuard>
  | Described<'BUDGET_WARNING', WebhookBudget>
  | Described<'WEBHOOK_TEST', { readonly webhookId: string }>;
