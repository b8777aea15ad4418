import { WEBHOOK_EVENTS } from './webhook-events.js';
import { MAX_WEBHOOKS } from './webhook-limits.js';
import { describeRoute } from '../platform/openapi/describe-route.js';
import { path } from '../platform/openapi/parameters.js';
import { list, nullable, object, enumOf, optional, string, dateTime, boolean } from '../platform/openapi/schemas.js';
import { DISABLED_REASONS, type WebhookView, type WebhookWithSecret } from './webhook-view.js';

const tag = 'Webhooks';
export const webhookId = string('ID of the webhook', '0190f3a4-7c1e-7a52-9c63-5d2a8a1b4e77');
const url = string('URL that receives the events: https, at a public address', 'https://hooks.example.com/mailbeacon', {
  maxLength: 2048,
});
const events = list(enumOf(WEBHOOK_EVENTS, 'An event', 'EMAIL_SENT'), 'Events that the webhook receives');
const people = boolean('True to receive EMAIL_OPENED and EMAIL_CLICKED only when people caused them', false);
const enabled = boolean('False while the webhook receives no events', true);

const webhookFields = {
  id: webhookId,
  url,
  events,
  enabled,
  people,
  disabledAt: nullable(dateTime('Time when the webhook was disabled; null while it is enabled')),
  disabledReason: nullable({
    ...enumOf(
      DISABLED_REASONS,
      'Disabled by the organization (requested), by a 410 response (gone), or by five days of failures (failing)',
      'failing',
    ),
    enum: [...DISABLED_REASONS, null],
  }),
  failingSince: nullable(dateTime('Time of the first failure since the last success; null without failures')),
  createdAt: dateTime('Time of creation'),
};

const webhook = object<WebhookView>('Webhook', 'A webhook, without its secret', webhookFields);

const withSecret = object<WebhookWithSecret>('WebhookWithSecret', 'A webhook with its secret', {
  ...webhookFields,
  secret: string(
    'Signing secret, as defined by Standard Webhooks 1.0.0',
    'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSwMfKQ9r8GKYo=',
  ),
});

const REFUSED = 'The URL is not allowed or did not return the challenge, an event is unknown, or a field is invalid';
const CHALLENGED =
  'A new URL first gets a POST of the type ENDPOINT_CHALLENGE and must return `data.challenge` within 5 seconds, as text or as `{ "challenge": "…" }`, with a 2xx status.';
const NOT_FOUND = 'Webhook not found';

/** One decorator per route of the controller. */
export const webhookDocs = {
  list: describeRoute({
    operationId: 'listWebhooks',
    summary: 'List webhooks',
    tag,
    paged: true,
    responses: {
      200: {
        description: 'The webhooks',
        schema: object<{ webhooks: readonly WebhookView[] }>('WebhookList', 'A page of webhooks', {
          webhooks: list(webhook, 'Webhooks, newest first'),
        }),
      },
    },
  }),
  create: describeRoute({
    operationId: 'createWebhook',
    summary: 'Create a webhook',
    description: `From now on, Mailbeacon posts the events to the URL. ${CHALLENGED} An organization can have ${MAX_WEBHOOKS} webhooks.`,
    tag,
    body: object<{ url: string; events?: string[]; people?: boolean }>('CreateWebhook', 'A new webhook', {
      url,
      events: optional({ ...events, minItems: 1, default: ['EMAIL_SENT'] }),
      people: optional({ ...people, default: false }),
    }),
    responses: { 201: { description: 'The new webhook. Store its secret: it is not shown again', schema: withSecret } },
    errors: { 400: REFUSED, 409: `The organization has ${MAX_WEBHOOKS} webhooks already` },
  }),
  get: describeRoute({
    operationId: 'getWebhook',
    summary: 'Get a webhook',
    tag,
    parameters: [path('id', webhookId)],
    responses: { 200: { description: 'The webhook', schema: webhook } },
    errors: { 404: NOT_FOUND },
  }),
  change: describeRoute({
    operationId: 'changeWebhook',
    summary: 'Change, disable or enable a webhook',
    description: `While a webhook is disabled, no new deliveries are stored for it. Pending deliveries stay and are sent once it is enabled. ${CHALLENGED}`,
    tag,
    parameters: [path('id', webhookId)],
    body: object<{ url?: string; events?: string[]; enabled?: boolean; people?: boolean }>(
      'ChangeWebhook',
      'What to change',
      {
        url: optional(url),
        events: optional({ ...events, minItems: 1 }),
        enabled: optional(enabled),
        people: optional(people),
      },
    ),
    responses: { 200: { description: 'The updated webhook', schema: webhook } },
    errors: { 400: REFUSED, 404: NOT_FOUND },
  }),
  remove: describeRoute({
    operationId: 'deleteWebhook',
    summary: 'Delete a webhook',
    description: 'No more events are posted. Its deliveries are deleted in the background.',
    tag,
    parameters: [path('id', webhookId)],
    responses: { 204: { description: 'The webhook is deleted' } },
    errors: { 404: NOT_FOUND },
  }),
  rotateSecret: describeRoute({
    operationId: 'rotateWebhookSecret',
    summary: 'Replace the secret of a webhook',
    description:
      'For 24 hours both secrets sign, the new one first. Then the old one is removed, and the secret can be replaced again.',
    tag,
    parameters: [path('id', webhookId)],
    responses: { 200: { description: 'The webhook with its new secret', schema: withSecret } },
    errors: { 404: NOT_FOUND, 409: 'The secret was replaced less than 24 hours ago' },
  }),
};
