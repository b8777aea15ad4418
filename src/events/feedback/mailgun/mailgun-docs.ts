import { describeRoute } from '../../../platform/openapi/describe-route.js';
import { decimal, object, string } from '../../../platform/openapi/schemas.js';
import { eventCounts } from '../event-counts-schema.js';

interface MailgunCall {
  readonly signature: object;
  readonly 'event-data': object;
}
interface SignatureFields {
  readonly timestamp: string;
  readonly token: string;
  readonly signature: string;
}
interface EventFields {
  readonly event: string;
  readonly id: string;
  readonly timestamp: number;
  readonly recipient: string;
  readonly 'user-variables': object;
}

const signature = object<SignatureFields>('MailgunSignature', 'Signature of the call', {
  timestamp: string('Time of the signature in seconds since 1970: at most 9 hours ago, 10 minutes ahead', '1772357401'),
  token: string('Random text', 'e0b5477167110d68991efc6b9f89f0a11066af27834600e123'),
  signature: string(
    'HMAC-SHA256 of the timestamp followed by the token, in hexadecimal digits',
    '12d99f5a15355c180971bed7494d578b093c958f57766f3fe750761baed12345',
  ),
});

const event = object<EventFields>('MailgunEvent', 'An event; other fields depend on its type', {
  event: string('Type of the event', 'delivered'),
  id: string('ID of the event, unique within a day', 'MXcc2gEpS-eN8HfkOnmK2w'),
  timestamp: decimal('Time of the event in seconds since 1970', 1_772_357_400.5),
  recipient: string('Address of the recipient', 'reader@example.com'),
  'user-variables': object<{ readonly mailbeacon_email_id: string }>('MailgunVariables', 'Variables of the email', {
    mailbeacon_email_id: string('ID of the email, which we pass to Mailgun', '0190f3a4-7c1e-7a52-9c63-5d2a8a1b4e77'),
  }),
});

export const mailgunDocs = {
  events: describeRoute({
    operationId: 'receiveMailgunEvents',
    summary: "Receive Mailgun's webhooks",
    description:
      'Only for Mailgun, which signs each call with the key of MAILGUN_EVENT_SIGNING_KEY. Responds once the event is durable. Repeated events change nothing.',
    tag: 'Providers',
    withoutKey: true,
    body: object<MailgunCall>('MailgunCall', 'A signed event', { signature, 'event-data': event }),
    responses: {
      200: {
        description: 'The event is durable, or ignored for a reason',
        schema: eventCounts,
      },
    },
    errors: {
      401: 'The signature is missing or wrong, or its time is too far off',
      404: 'MAILGUN_EVENT_SIGNING_KEY is not set',
      413: 'The body exceeds 64 KB',
      503: 'The event could not be stored: Mailgun repeats the call',
    },
  }),
};
