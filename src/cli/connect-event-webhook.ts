import { parseUrl } from '../platform/addresses/parse-url.js';
import { OperatorError } from '../platform/errors/operator-error.js';
import {
  REPORTED_EVENTS,
  type EventWebhookSettings,
  type SendGridEventWebhooks,
} from '../providers/sendgrid/event-webhooks.js';

const FRIENDLY_NAME = 'Mailbeacon';
const EVENTS_PATH = '/api/providers/sendgrid/events';

interface ConnectedEventWebhook {
  readonly id: string;
  readonly url: string;
  /** False if it existed already. */
  readonly created: boolean;
  /** The line for the settings of the role `api`. */
  readonly setting: string;
}

/**
 * Creates a signed Event Webhook that posts to this service. Never changes a webhook that was set up by others. If it
 * was interrupted, running it again completes the set-up; for a complete webhook it changes nothing.
 * @param address public address of the service, with or without the path of the route
 * @throws OperatorError, InvalidFieldError
 */
export async function connectEventWebhook(
  account: SendGridEventWebhooks,
  address: string,
): Promise<ConnectedEventWebhook> {
  const url = eventsUrl(address);
  const { webhooks, maxAllowed } = await account.list();
  const existing = webhooks.find((webhook) => webhook.url === url);
  if (existing) refuseForeign(existing);
  if (!existing && maxAllowed !== undefined && webhooks.length >= maxAllowed) {
    throw new OperatorError(
      `The SendGrid account has its ${maxAllowed} Event Webhooks already: delete one of ${webhooks.map(({ id }) => id).join(', ')} first`,
    );
  }
  const webhook = existing ?? (await account.create(url, FRIENDLY_NAME));
  const publicKey = webhook.public_key || (await account.sign(webhook.id));
  await account.sendTest(webhook);
  const setting = `SENDGRID_EVENT_PUBLIC_KEY=${publicKey}`;
  return { id: webhook.id, url, created: existing === undefined, setting };
}

/** @throws OperatorError unless the webhook reports all events that we need, and is signed or may be signed by us */
function refuseForeign(webhook: EventWebhookSettings): void {
  const lacks = [
    ...(webhook.enabled ? [] : ['is disabled']),
    ...REPORTED_EVENTS.filter((name) => webhook[name] !== true).map((name) => `does not report ${name}`),
    ...(webhook.public_key || webhook.friendly_name === FRIENDLY_NAME ? [] : ['is not signed']),
  ];
  if (lacks.length === 0) return;
  throw new OperatorError(
    `The Event Webhook ${webhook.id} posts to this address but ${lacks.join(', ')}: change or delete it in SendGrid's settings`,
  );
}

function eventsUrl(address: string): string {
  const url = parseUrl(address);
  const isPlain = url && url.username === '' && url.search === '' && url.hash === '';
  if (!isPlain || url.protocol !== 'https:') {
    throw new OperatorError(
      'url must be the public https address of this service, for example https://mail.example.com',
    );
  }
  const path = url.pathname.replace(/(?<!\/)\/+$/, '');
  return url.origin + (path.endsWith(EVENTS_PATH) ? path : path + EVENTS_PATH);
}
