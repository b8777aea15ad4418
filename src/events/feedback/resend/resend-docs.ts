import { describeRoute } from '../../../platform/openapi/describe-route.js';
import { header } from '../../../platform/openapi/parameters.js';
import { list, object, string } from '../../../platform/openapi/schemas.js';
import { eventCounts } from '../event-counts-schema.js';

interface EventFields {
  readonly type: string;
  readonly created_at: string;
  readonly data: object;
}
interface DataFields {
  readonly to: string[];
  readonly tags: object;
}

const tags = object<{ readonly mailbeacon_email_id: string }>('ResendTags', 'Tags of the email', {
  mailbeacon_email_id: string('ID of the email, which we pass to Resend', '0190f3a4-7c1e-7a52-9c63-5d2a8a1b4e77'),
});

const event = object<EventFields>('ResendEvent', 'An event', {
  type: string('Type of the event', 'email.delivered'),
  created_at: string('Time of the event', '2026-03-01T09:30:00.000Z'),
  data: object<DataFields>('ResendEventData', 'About the email; other fields depend on the type', {
    to: list(string('Address', 'reader@example.com'), 'Recipients'),
    tags,
  }),
});

export const resendDocs = {
  events: describeRoute({
    operationId: 'receiveResendEvents',
    summary: "Receive Resend's webhooks",
    description:
      'Only for Resend, which signs each call with the secret of RESEND_EVENT_SECRET. The headers may also have the names of Standard Webhooks: webhook-id, webhook-timestamp and webhook-signature. Responds once the event is durable. Repeated events change nothing.',
    tag: 'Providers',
    withoutKey: true,
    parameters: [
      header('svix-id', string('ID of the call, the same when Resend repeats it', 'msg_2W2D3qXLS5fOaPja1GDg7rF2CwB')),
      header(
        'svix-timestamp',
        string('Time of the signature in seconds since 1970: at most 5 minutes ago or ahead', '1772357401'),
      ),
      header(
        'svix-signature',
        string(
          'One or more entries, separated by spaces: v1, a comma and the HMAC-SHA256 of ID, timestamp and body, separated by full stops, in base64',
          'v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=',
        ),
      ),
    ],
    body: event,
    responses: {
      200: {
        description: 'The event is durable, or ignored for a reason',
        schema: eventCounts,
      },
    },
    errors: {
      401: 'The signature is missing or wrong, or its time is too far off',
      404: 'RESEND_EVENT_SECRET is not set',
      413: 'The body exceeds 1 MB or 20,000 values',
      503: 'The event could not be stored: Resend repeats the call',
    },
  }),
};
