import { describeRoute } from '../../../platform/openapi/describe-route.js';
import { path } from '../../../platform/openapi/parameters.js';
import { freeObject, string } from '../../../platform/openapi/schemas.js';
import { POSTMARK_CHALLENGE } from '../postmark/postmark-calls.js';
import { eventCounts } from '../event-counts-schema.js';

export const organizationEventsDocs = {
  receive: describeRoute({
    operationId: 'receiveProviderEvents',
    summary: "Receive the events of an organization's own provider",
    description:
      'Only for the provider, whose calls its eventKey verifies. Headers and body are those of its type, as for the providers of the service. Responds once all events are durable. Repeated events change nothing. Events about the mail of other organizations, and about mail that the providers of the service sent, are ignored.',
    tag: 'Providers',
    withoutKey: true,
    challenge: POSTMARK_CHALLENGE,
    parameters: [path('id', string('ID of the provider', '0190f3a4-7c1e-7a52-9c63-5d2a8a1b4e78'))],
    body: freeObject('What a provider of the type posts: a list of events for SendGrid, an object for the others', {
      RecordType: 'Delivery',
    }),
    responses: {
      200: {
        description: 'All events are durable, ignored for a reason, or about a subscription',
        schema: eventCounts,
      },
    },
    errors: {
      401: 'What verifies the call is missing or wrong, or its time is too far off. WWW-Authenticate is present for the type postmark',
      404: 'The provider does not exist or has no eventKey, or its organization is deleted',
      413: 'The body exceeds a limit of the type',
      429: 'Too many calls to unknown addresses from this network, or too many events of the organization: the provider repeats the call',
      503: 'An event could not be stored, or the call could not be verified: the provider repeats the call',
    },
  }),
};
