import { WEBHOOK_DELIVERY_STATUSES } from './webhook-delivery-status.js';
import { TEST_EVENT, WEBHOOK_EVENTS } from './webhook-events.js';
import { TESTS_PER_MINUTE } from './webhook-limits.js';
import { describeRoute } from '../platform/openapi/describe-route.js';
import { path } from '../platform/openapi/parameters.js';
import {
  list,
  nullable,
  object,
  enumOf,
  string,
  dateTime,
  integer,
  boolean,
  optional,
} from '../platform/openapi/schemas.js';
import type { AttemptView, DeliveryDetail, DeliveryView } from './webhook-delivery-view.js';

import { webhookId } from './webhook-docs.js';
import type { ReplayResponse } from './webhook-delivery-view.js';

const tag = 'Webhooks';
const deliveryId = string(
  'ID of the delivery: the webhook-id of every attempt',
  '0190f3a5-0b6d-7d11-8a3e-2f9c7e5d1a40',
);

const attempt = object<AttemptView>('WebhookAttempt', 'One request to the receiver', {
  number: integer('Number of the attempt, from 1', 2),
  at: dateTime('Start of the attempt: the webhook-timestamp'),
  durationMs: integer('Duration in milliseconds', 84),
  status: nullable(integer('HTTP status of the response; null without a response', 503)),
  error: nullable(string('Reason of the failure; null for a success', 'The receiver responded with 503')),
  answer: nullable(string('The first 256 bytes of the response body; null without a response', 'come back later')),
});

const deliveryFields = {
  id: deliveryId,
  type: enumOf([...WEBHOOK_EVENTS, TEST_EVENT], 'The event', 'EMAIL_SENT'),
  status: enumOf(WEBHOOK_DELIVERY_STATUSES, 'Status of the delivery', 'pending'),
  createdAt: dateTime('Time when the event was stored'),
  nextAttemptAt: nullable(
    dateTime('Time of the next attempt; while an attempt is in flight, the time after which it counts as lost'),
  ),
  finishedAt: nullable(dateTime('Time when it was delivered or finally failed; null while it is pending')),
  attemptCount: integer('Attempts so far', 2),
  attempts: list(attempt, 'The latest 20 attempts, newest first'),
};
const delivery = object<DeliveryView>('WebhookDelivery', 'The delivery of an event to a webhook', deliveryFields);
const detail = object<DeliveryDetail>('WebhookDeliveryDetail', 'A delivery with the body of its requests', {
  ...deliveryFields,
  body: string('Body of every attempt', '{"type":"EMAIL_SENT","timestamp":"…","data":{}}'),
});

const DISABLED = 'The webhook is disabled: enable it first';
const NOT_FOUND = 'Webhook not found';

/** One decorator per route of the controller. */
export const webhookDeliveryDocs = {
  list: describeRoute({
    operationId: 'listWebhookDeliveries',
    summary: 'List deliveries of a webhook',
    description: 'Includes the attempts and the responses of the receiver. A page has at most 100 deliveries.',
    tag,
    parameters: [path('id', webhookId)],
    paged: true,
    responses: {
      200: {
        description: 'The deliveries',
        schema: object<{ deliveries: readonly DeliveryView[] }>('WebhookDeliveryList', 'A page of deliveries', {
          deliveries: list(delivery, 'Deliveries, newest first'),
        }),
      },
    },
    errors: { 404: NOT_FOUND },
  }),
  get: describeRoute({
    operationId: 'getWebhookDelivery',
    summary: 'Get a delivery with its request',
    tag,
    parameters: [path('id', webhookId), path('deliveryId', deliveryId)],
    responses: { 200: { description: 'The delivery', schema: detail } },
    errors: { 404: 'Webhook or delivery not found' },
  }),
  test: describeRoute({
    operationId: 'testWebhook',
    summary: 'Send a test event',
    description: `Posts an event of type ${TEST_EVENT}, regardless of the events of the webhook. The list of deliveries shows the result. The test is attempted once, immediately, even while the webhook is paused after failures. Its result neither ends the pause nor counts as a failure. A webhook can be tested ${TESTS_PER_MINUTE} times a minute.`,
    tag,
    parameters: [path('id', webhookId)],
    responses: { 200: { description: 'The delivery, which is attempted at once', schema: delivery } },
    errors: { 404: NOT_FOUND, 409: DISABLED },
  }),
  retry: describeRoute({
    operationId: 'retryWebhookDelivery',
    summary: 'Retry a delivery',
    description: `Attempts the delivery immediately with the same ID and body, whether it is pending, failed or delivered. An open or a click that waits for its verdict keeps waiting. Ends the pause of a failing webhook. A test counts toward the limit of ${TESTS_PER_MINUTE} a minute and does not end the pause.`,
    tag,
    parameters: [path('id', webhookId), path('deliveryId', deliveryId)],
    responses: { 200: { description: 'The delivery, which is attempted at once', schema: delivery } },
    errors: { 404: 'Webhook or delivery not found', 409: DISABLED },
  }),
  replay: describeRoute({
    operationId: 'replayWebhookDeliveries',
    summary: 'Replay missed deliveries',
    description: 'Resends all deliveries since a given time that failed or are waiting for a retry, except tests.',
    tag,
    parameters: [path('id', webhookId)],
    body: object<{ since: string; until?: string }>('ReplayWebhook', 'The range to replay', {
      since: dateTime('Replays deliveries stored at this time or later'),
      until: optional(dateTime('Replays deliveries stored before this time', '2026-03-02T09:30:00.000Z')),
    }),
    responses: {
      200: {
        description: 'The deliveries are due now',
        schema: object<ReplayResponse>('WebhookReplay', 'Result of a replay', {
          replayed: integer('Deliveries that are due now', 12),
          more: boolean('True when deliveries are left: call it again', false),
        }),
      },
    },
    errors: { 404: NOT_FOUND, 409: DISABLED },
  }),
};
