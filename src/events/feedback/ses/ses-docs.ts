import { describeRoute } from '../../../platform/openapi/describe-route.js';
import { object, string } from '../../../platform/openapi/schemas.js';
import { eventCounts } from '../event-counts-schema.js';

interface SnsFields {
  readonly Type: string;
  readonly MessageId: string;
  readonly TopicArn: string;
  readonly Message: string;
  readonly Timestamp: string;
  readonly SignatureVersion: string;
  readonly Signature: string;
  readonly SigningCertURL: string;
}

const TOPIC = 'arn:aws:sns:eu-west-1:123456789012:mail-events';

const message = object<SnsFields>('SnsMessage', 'A message of SNS as JSON; other fields depend on its type', {
  Type: string('Notification, SubscriptionConfirmation or UnsubscribeConfirmation', 'Notification'),
  MessageId: string('ID of the message', '22b80b92-fdea-4c2c-8f9d-bdfb0c7bf324'),
  TopicArn: string('Topic, one of SES_EVENT_TOPICS', TOPIC),
  Message: string('An event of SES as JSON', '{"eventType":"Delivery","mail":{},"delivery":{}}'),
  Timestamp: string('Time of the message: at most 24 hours ago, 10 minutes ahead', '2026-03-01T09:31:02.669Z'),
  SignatureVersion: string('1 (SHA-1) or 2 (SHA-256)', '2'),
  Signature: string('RSA signature of the fields, in Base64', 'EXAMPLEw6JRN'),
  SigningCertURL: string(
    'Address of the certificate, at SNS only',
    'https://sns.eu-west-1.amazonaws.com/SimpleNotificationService-0123456789abcdef.pem',
  ),
});

export const sesDocs = {
  events: describeRoute({
    operationId: 'receiveSesEvents',
    summary: 'Receive the events of Amazon SES',
    description:
      'Only for Amazon SNS, which signs each message. Confirms subscriptions of the topics in SES_EVENT_TOPICS. Responds once the event is durable. Repeated messages change nothing. SNS sends the JSON as text/plain.',
    tag: 'Providers',
    withoutKey: true,
    body: message,
    responses: {
      200: {
        description: 'The event is durable, ignored for a reason, or about a subscription',
        schema: eventCounts,
      },
    },
    errors: {
      401: 'The signature is missing or wrong, its time is too far off, or the topic is not listed',
      404: 'SES_EVENT_TOPICS is not set',
      413: 'The body exceeds 256 KB',
      503: 'The event could not be stored, the certificate not be fetched or the subscription not be confirmed: SNS repeats the call',
    },
  }),
};
