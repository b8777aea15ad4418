import { OperatorError } from '../../platform/errors/operator-error.js';
import { readableReason } from '../failure-reason.js';
import { callSendGridApi, readSendGridJson, SendGridApiError, type SendGridApiOptions } from './sendgrid-api.js';

const DEADLINE_MS = 15_000;
const SETTINGS_PATH = '/v3/user/webhooks/event/settings';

/**
 * The events that our webhook reports. Opens and clicks stay off, because we count our own, and `processed` adds
 * nothing new.
 */
export const REPORTED_EVENTS = [
  'delivered',
  'deferred',
  'bounce',
  'dropped',
  'spam_report',
  'unsubscribe',
  'group_unsubscribe',
  'group_resubscribe',
] as const;
const UNREPORTED_EVENTS = ['processed', 'open', 'click'] as const;

/** An Event Webhook of the account, as SendGrid describes it. */
export type EventWebhookSettings = {
  readonly id: string;
  readonly url: string;
  readonly enabled: boolean;
  readonly friendly_name?: string | null;
  /** Present and not empty if calls are signed. */
  readonly public_key?: string | null;
} & { readonly [Event in (typeof REPORTED_EVENTS)[number]]?: boolean };

export interface EventWebhookList {
  readonly webhooks: readonly EventWebhookSettings[];
  /** How many the account may have; undefined if SendGrid does not report it. */
  readonly maxAllowed: number | undefined;
}

/** The Event Webhooks of a SendGrid account. All methods throw OperatorError with the reason of a failure. */
export class SendGridEventWebhooks {
  constructor(private readonly options: SendGridApiOptions) {}

  async list(): Promise<EventWebhookList> {
    const found = (await this.call('GET', `${SETTINGS_PATH}/all`)) as { webhooks?: unknown; max_allowed?: unknown };
    if (!Array.isArray(found?.webhooks)) throw unexpected();
    // An account without webhooks has one empty object in its list.
    const webhooks = found.webhooks.filter(isEventWebhook);
    return { webhooks, maxAllowed: typeof found.max_allowed === 'number' ? found.max_allowed : undefined };
  }

  async create(url: string, friendlyName: string): Promise<EventWebhookSettings> {
    const events = [
      ...REPORTED_EVENTS.map((name) => [name, true] as const),
      ...UNREPORTED_EVENTS.map((name) => [name, false] as const),
    ];
    const body = { enabled: true, url, friendly_name: friendlyName, ...Object.fromEntries(events) };
    const created = await this.call('POST', SETTINGS_PATH, body);
    if (!isEventWebhook(created)) throw unexpected();
    return created;
  }

  /** Makes SendGrid sign the calls of a webhook, and returns the key to verify them: DER in base64. */
  async sign(id: string): Promise<string> {
    const path = `${SETTINGS_PATH}/signed/${encodeURIComponent(id)}`;
    const signed = (await this.call('PATCH', path, { enabled: true })) as { public_key?: unknown };
    if (typeof signed?.public_key !== 'string' || signed.public_key === '') throw unexpected();
    return signed.public_key;
  }

  /** Makes SendGrid post an example of each event. */
  async sendTest({ id, url }: EventWebhookSettings): Promise<void> {
    await this.call('POST', '/v3/user/webhooks/event/test', { id, url });
  }

  private async call(method: 'GET' | 'POST' | 'PATCH', path: string, body?: object): Promise<unknown> {
    try {
      const signal = AbortSignal.timeout(DEADLINE_MS);
      const { status, text } = await callSendGridApi(this.options, { method, path, ...(body && { body }) }, signal);
      if (status >= 200 && status < 300) return text === '' ? undefined : readSendGridJson(text);
      throw new OperatorError(`SendGrid responded with ${status} to ${method} ${path}${explanationOf(status, text)}`);
    } catch (error) {
      throw error instanceof SendGridApiError ? new OperatorError(error.message) : error;
    }
  }
}

function unexpected(): OperatorError {
  return new OperatorError('SendGrid sent an unexpected response');
}

function isEventWebhook(value: unknown): value is EventWebhookSettings {
  const { id, url } = (value ?? {}) as Partial<EventWebhookSettings>;
  return typeof id === 'string' && typeof url === 'string';
}

function explanationOf(status: number, text: string): string {
  const needsPermission = status === 401 || status === 403;
  if (needsPermission) return ': SENDGRID_API_KEY needs full access to Event Notification of the mail settings';
  const message = /"message"\s*:\s*"([^"]*)"/.exec(text.slice(0, 10_000))?.[1];
  return message ? `: ${readableReason(message)}` : '';
}
