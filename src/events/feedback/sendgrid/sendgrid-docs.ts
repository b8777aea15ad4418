import { describeRoute } from '../../../platform/openapi/describe-route.js';
import { header } from '../../../platform/openapi/parameters.js';
import { integer, list, object, string } from '../../../platform/openapi/schemas.js';
import { eventCounts } from '../event-counts-schema.js';

interface EventFields {
  readonly event: string;
  readonly email: string;
  readonly timestamp: number;
  readonly sg_event_id: string;
  readonly mailbeacon_email_id: string;
}

const event = object<EventFields>('SendGridEvent', 'An event; other fields depend on its type', {
  event: string('Type of the event', 'delivered'),
  email: string('Address of the recipient', 'reader@example.com'),
  timestamp: integer('Time of the event in seconds since 1970', 1_772_357_400),
  sg_event_id: string('ID of the event, the same when SendGrid repeats it', 'ZGVsaXZlcmVkLTAtNzI'),
  mailbeacon_email_id: string('ID of the email, which we pass to SendGrid', '0190f3a4-7c1e-7a52-9c63-5d2a8a1b4e77'),
});

export const sendGridDocs = {
  events: describeRoute({
    operationId: 'receiveSendGridEvents',
    summary: "Receive SendGrid's Event Webhook",
    description:
      'Only for SendGrid, which signs each call with the key of SENDGRID_EVENT_PUBLIC_KEY. Responds once all events are durable. Repeated events change nothing; invalid ones do not affect the others.',
    tag: 'Providers',
    withoutKey: true,
    parameters: [
      header(
        'X-Twilio-Email-Event-Webhook-Signature',
        string(
          'ECDSA signature (P-256, SHA-256) of the timestamp followed by the body: DER in base64',
          'MEUCIQCtIHJeH93Y+qpYeWrySphQgpNGNr/U+UyUlBkU6n7RAwIgJTz2C+8a8xonZGi6BpSzoQsbVRamr2nlxFDWYNH2j/0=',
        ),
      ),
      header(
        'X-Twilio-Email-Event-Webhook-Timestamp',
        string('Time of the signature in seconds since 1970: at most 24 hours ago, 10 minutes ahead', '1772357401'),
      ),
    ],
    body: list(event, 'Events in any order', { maxItems: 10_000 }),
    responses: {
      200: {
        description: 'All events are durable',
        schema: eventCounts,
      },
    },
    errors: {
      401: 'The signature is missing or wrong, or its time is too far off',
      404: 'SENDGRID_EVENT_PUBLIC_KEY is not set',
      413: 'The body exceeds 10 MB, 10,000 events or 300,000 values',
      503: 'Not every event could be stored: SendGrid repeats the call',
    },
  }),
};
