import { describeRoute } from '../../../platform/openapi/describe-route.js';
import { object, string } from '../../../platform/openapi/schemas.js';
import { POSTMARK_CHALLENGE } from './postmark-calls.js';
import { eventCounts } from '../event-counts-schema.js';

interface PostmarkEvent {
  readonly RecordType: string;
  readonly MessageID: string;
  readonly Recipient: string;
  readonly DeliveredAt: string;
  readonly Metadata: object;
}

const event = object<PostmarkEvent>('PostmarkEvent', 'An event of the type Delivery; other types have other fields', {
  RecordType: string('Type of the event', 'Delivery'),
  MessageID: string("Postmark's ID of the message", '883953f4-6105-42a2-a16a-77a8eac79483'),
  Recipient: string('Address of the recipient', 'reader@example.com'),
  DeliveredAt: string('Time of the event', '2026-03-01T10:53:34.416071Z'),
  Metadata: object<{ readonly mailbeacon_email_id: string }>('PostmarkMetadata', 'Metadata of the email', {
    mailbeacon_email_id: string('ID of the email, which we pass to Postmark', '0190f3a4-7c1e-7a52-9c63-5d2a8a1b4e77'),
  }),
});

export const postmarkDocs = {
  events: describeRoute({
    operationId: 'receivePostmarkEvents',
    summary: "Receive Postmark's webhooks",
    description:
      'Only for Postmark, which sends a user and password of POSTMARK_EVENT_CREDENTIALS (HTTP basic authentication). Responds once the event is durable. Repeated events change nothing.',
    tag: 'Providers',
    withoutKey: true,
    challenge: POSTMARK_CHALLENGE,
    body: event,
    responses: {
      200: {
        description: 'The event is durable, or ignored for a reason',
        schema: eventCounts,
      },
    },
    errors: {
      401: 'The user and password are missing or wrong',
      404: 'POSTMARK_EVENT_CREDENTIALS is not set',
      413: 'The body exceeds 1 MB',
      503: 'The event could not be stored: Postmark repeats the call',
    },
  }),
};
