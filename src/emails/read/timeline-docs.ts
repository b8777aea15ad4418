import { verdictFields } from '../../events/engagement-docs.js';
import { BOUNCE_KINDS, RECIPIENT_FACTS } from '../../events/recipient-event.js';
import { dateTime, enumOf, integer, nullable, object, optional, string } from '../../platform/openapi/schemas.js';
import { WEBHOOK_DELIVERY_STATUSES } from '../../webhooks/webhook-delivery-status.js';
import { EMAIL_ENTRIES, type TimelineEntry, type TimelineWebhook } from './timeline-entry.js';

const webhook = object<TimelineWebhook>('TimelineWebhook', 'A webhook delivery and its last attempt', {
  webhookId: string('ID of the webhook', '0190f3a4-7c1e-7a52-9c63-5d2a8a1b4e77'),
  deliveryId: string('ID of the delivery', '0190f3a5-0b6d-7d11-8a3e-2f9c7e5d1a40'),
  event: string('The event', 'EMAIL_BOUNCED'),
  status: enumOf(WEBHOOK_DELIVERY_STATUSES, 'Status of the delivery', 'delivered'),
  attempts: integer('Attempts so far', 1),
  responseStatus: nullable(integer('HTTP status of the response; null without a response', 200)),
  error: nullable(string('Reason of the failure; null for a success', 'The receiver responded with 503')),
  answer: nullable(string('The first 256 bytes of the response body; null without a response', 'ok')),
});

export const timelineEntry = object<TimelineEntry>('TimelineEntry', 'Something that happened to an email', {
  type: enumOf(
    [...EMAIL_ENTRIES, ...RECIPIENT_FACTS],
    'Type of the entry: about the email, or about the recipient in `recipient`',
    'bounced',
  ),
  at: dateTime('Time of the entry, by its source'),
  recipient: optional(string('Address of the recipient', 'reader@example.com')),
  reason: optional(
    string(
      'Message of the provider or of the receiving server; for opened and clicked, why they have their class',
      '550 5.1.1 No such user',
    ),
  ),
  smtpStatus: optional(string('Enhanced status code (RFC 3463)', '5.1.1')),
  bounce: optional(enumOf(BOUNCE_KINDS, 'Kind of the bounce', 'hard')),
  link: optional(string('Destination, only for clicked', 'https://example.com/sale')),
  class: optional(verdictFields.class),
  certainty: optional(verdictFields.certainty),
  webhook: optional(webhook),
});
