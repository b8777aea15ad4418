import { TEST_EVENT, WEBHOOK_EVENTS } from './webhook-events.js';
import { describeRoute } from '../platform/openapi/describe-route.js';
import { path } from '../platform/openapi/parameters.js';
import { list, nullable, object, enumOf, string, dateTime, integer, boolean } from '../platform/openapi/schemas.js';
import type { AttemptView, DeliveryView } from './webhook-delivery-view.js';

import { webhookId } from './webhook-docs.js';
import type { ReplayResponse } from './webhook-delivery-view.js';

const tag = 'Webhooks';
const deliveryId = string(
  'ID of the delivery: the webhook-id of every attempt',
  '0190f3a5-0b6d-7d11-8a3e-2f9c7e5d1a40',
);

const attempt = object<AttemptView>('WebhookAttempt', 'One request to the receiver', {
  number: integer('1 for the first', 2),
  at: dateTime('When it began: the webhook-timestamp'),
  durationMs: integer('Milliseconds until its end', 84),
  status: nullable(integer('HTTP status of the answer; null without one', 503)),
  error: nullable(string('Why it failed; null for a success', 'The receiver answered 503')),
  answer: nullable(string("The first 256 bytes of the answer's body; null without an answer", 'come back later')),
});

const delivery = object<DeliveryView>('WebhookDelivery', 'An event on its way to a webhook', {
  id: deliveryId,
  type: enumOf([...WEBHOOK_EVENTS, TEST_EVENT], 'The event', 'EMAIL_SENT'),
  status: enumOf(['pending', 'delivered', 'failed'], 'How far it came', 'pending'),
  createdAt: dateTime('When the event was written down'),
  nextAttemptAt: nullable(
    dateTime('When it is attempted next; while an attempt is under way, when that counts as lost'),
  ),
  finishedAt: nullable(dateTime('When it was delivered or given up; null while it is pending')),
  attemptCount: integer('Attempts so far', 2),
  attempts: list(attempt, 'The latest 20 attempts, newest first'),
});

const DISABLED = 'The webhook is disabled: enable it first';
const NOT_FOUND = 'Webhook not found';

/** One decorator per route of the controller. */
export const webhookDeliveryDocs = {
  list: describeRoute({
    operationId: 'listWebhookDeliveries',
    summary: 'List deliveries of a webhook',
    description: 'With their attempts and what the receiver answered. A page has at most 100.',
    tag,
    parameters: [path('id', webhookId)],
    paged: true,
    answers: {
      200: {
        description: 'The deliveries',
        schema: object<{ deliveries: readonly DeliveryView[] }>('WebhookDeliveryList', 'A page of deliveries', {
          deliveries: list(delivery, 'Deliveries, newest first'),
        }),
      },
    },
    errors: { 404: NOT_FOUND },
  }),
  test: describeRoute({
    operationId: 'testWebhook',
    summary: 'Send a test event',
    description: `Posts an event of type ${TEST_EVENT}, whatever the webhook listens to; the deliveries tell what came back. It is attempted once, at once, also while the webhook is paused after failures; what comes back neither ends the pause nor counts as a failure. At most 10 times a minute for a webhook.`,
    tag,
    parameters: [path('id', webhookId)],
    answers: { 200: { description: 'The delivery, which is attempted at once', schema: delivery } },
    errors: { 404: NOT_FOUND, 409: DISABLED },
  }),
  retry: describeRoute({
    operationId: 'retryWebhookDelivery',
    summary: 'Deliver once more',
    description:
      'At once, under the same ID and with the same body, whatever became of it before. Ends the pause of a webhook that failed. A test counts among the 10 a minute and ends no pause.',
    tag,
    parameters: [path('id', webhookId), path('deliveryId', deliveryId)],
    answers: { 200: { description: 'The delivery, which is attempted at once', schema: delivery } },
    errors: { 404: 'Webhook not found, or Webhook delivery not found', 409: DISABLED },
  }),
  replay: describeRoute({
    operationId: 'replayWebhookDeliveries',
    summary: 'Deliver what the receiver missed',
    description:
      'Makes due at once what failed or still waits for a retry, of everything written down since a time, except tests.',
    tag,
    parameters: [path('id', webhookId)],
    body: object<{ since: string }>('ReplayWebhook', 'How far to go back', {
      since: dateTime('Deliveries written down at that time or later'),
    }),
    answers: {
      200: {
        description: 'They are on their way',
        schema: object<ReplayResponse>('WebhookReplay', 'What a replay did', {
          replayed: integer('Deliveries that are due now', 12),
          more: boolean('True when there are more than one replay takes: call it again', false),
        }),
      },
    },
    errors: { 404: NOT_FOUND, 409: DISABLED },
  }),
};
