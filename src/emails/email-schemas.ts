import { list, nullable, object, enumOf, optional, string, dateTime } from '../platform/openapi/schemas.js';
import { integer, boolean } from '../platform/openapi/schemas.js';
import { verdictFields } from '../events/engagement-docs.js';
import type { FieldProblem } from '../platform/errors/domain-error.js';
import { fieldProblem } from '../platform/openapi/errors.js';
import type { TrackedLink } from '../rendering/render-email.js';
import type { EmailEvent } from './read/email-events.js';
import type { EmailSummary } from './read/email-list.js';
import type { ClickedLink, EmailDetail } from './read/email-detail.js';
import type { SendResponse } from './accept/send-response.js';
import { recipientCounts } from './recipients/recipient-counts.js';
import { BY_STRENGTH, RECIPIENT_STATES } from './recipients/recipient-state.js';
import type { RecipientView } from './recipients/recipient-views.js';
import { SUPPRESSION_REASONS } from '../events/recipient-event.js';
import type { SuppressedRecipient } from './recipients/suppressed-recipients.js';
import type { TrackResponse } from './accept/track-response.js';
import { EVENT_TYPES } from '../events/engagement-event.js';
import { address, attachments, emailId, headers, metadata, trackingId, viewFields } from './email-fields.js';

const TRACKED_HTML =
  '<p>The sale has begun: <a href="http://localhost:3000/api/t/c/AgS4VF0R">have a look</a></p>' +
  '<img src="http://localhost:3000/api/t/o/3Dlq2v5NJzQHOqbKVSEGDmYB" width="1" height="1" alt="">';

const pixelUrl = string('Open-tracking pixel', 'http://localhost:3000/api/t/o/3Dlq2v5NJzQHOqbKVSEGDmYB');

const linkFields = {
  originalUrl: string('Destination as found in the HTML', 'https://example.com/sale'),
  trackingId: string('Tracking ID of the link', 'AgS4VF0R'),
  trackingUrl: string('Address that counts the click and redirects', 'http://localhost:3000/api/t/c/AgS4VF0R'),
};
const link = object<TrackedLink>('TrackedLink', 'One link of an email', linkFields);

const suppressed = optional(
  list(
    object<SuppressedRecipient>('SuppressedRecipient', 'A recipient that is left out', {
      address,
      reason: enumOf(SUPPRESSION_REASONS, 'Strongest reason of the address', 'bounce'),
    }),
    'Recipients that are left out because they are suppressed; absent when there are none',
  ),
);

const sendFields = {
  emailTrackingId: trackingId,
  from: string('Sender actually used: rewritten unless its domain is verified', 'Ada <ada-5f2a@mailbeacon.localhost>'),
  to: list(address, 'Recipients, always an array'),
  subject: viewFields.subject,
  links: list(link, 'One entry per tracked link; empty until the HTML has been rewritten'),
  pixelUrl,
  suppressed,
};

export const sent = object<Omit<SendResponse, 'status'>>('SentEmail', 'The provider accepted the email', {
  id: string("ID given by the delivery provider; the email's own once its recipient is erased", 'els3dc3h'),
  ...sendFields,
});

export const accepted = object<Omit<SendResponse, 'status'> & { status: 'queued' | 'scheduled' }>(
  'AcceptedEmail',
  'The email is stored and will be delivered',
  {
    id: { type: 'null', description: 'Null until the provider accepts', examples: [null] },
    ...sendFields,
    status: enumOf(['queued', 'scheduled'], 'scheduled until sendAt, if that is in the future', 'queued'),
  },
);

interface BatchResultFields {
  readonly id?: string;
  readonly emailTrackingId?: string;
  readonly status?: 'queued' | 'scheduled';
  readonly suppressed?: readonly SuppressedRecipient[];
  readonly error?: string;
  readonly details?: readonly FieldProblem[];
}

export const batchResponse = object<{ emails: readonly BatchResultFields[] }>('BatchResponse', 'Result of a batch', {
  emails: list(
    object<BatchResultFields>('BatchResult', 'Result of one message: an email, or an error', {
      id: optional(emailId),
      emailTrackingId: optional(trackingId),
      status: optional(enumOf(['queued', 'scheduled'], 'scheduled with a later sendAt', 'queued')),
      suppressed,
      error: optional(string('Why the message is refused', 'subject must not be empty')),
      details: optional(list(fieldProblem, 'The invalid fields')),
    }),
    'One entry per message, in order',
  ),
});

export const canceled = object<{ status: 'canceled' }>('CanceledEmail', 'A canceled email', {
  status: enumOf(['canceled'], 'Always canceled', 'canceled'),
});

export const tracked = object<TrackResponse>('TrackedEmail', 'The email for the other provider to send', {
  id: emailId,
  emailTrackingId: trackingId,
  links: list(link, 'One entry per tracked link'),
  pixelUrl,
  htmlContent: string('The HTML with tracked links and the pixel', TRACKED_HTML),
});

export const summary = object<EmailSummary>('EmailSummary', 'An email in a list', {
  ...viewFields,
  recipient: string('The addresses in to, joined by ", "', 'reader@example.com'),
  recipientStates: recipientCounts,
});

const clickedLink = object<ClickedLink>('ClickedLink', 'One link of an email and its clicks', {
  ...linkFields,
  clicks: integer('Clicks on the link', 1),
  people: integer('Clicks by people', 1),
});

const recipient = object<RecipientView>('Recipient', 'A recipient with its delivery state', {
  address,
  kind: enumOf(['to', 'cc', 'bcc'], 'Field that names the recipient', 'to'),
  state: enumOf(
    RECIPIENT_STATES,
    `The strongest fact: ${[...BY_STRENGTH, 'sent', 'pending'].join(', ')}, in this order`,
    'bounced',
  ),
  reason: nullable(string('Message of the reporting server; null when unknown', '550 5.1.1 No such user')),
  smtpStatus: nullable(string('Enhanced status code (RFC 3463); null when unknown', '5.1.1')),
  updatedAt: dateTime('Time of the fact, by its source'),
});

export const detail = object<EmailDetail>('Email', 'An email in full', {
  ...viewFields,
  from: nullable(string('Sender used; null if it is unknown', 'Ada <ada-5f2a@mailbeacon.localhost>')),
  replyTo: nullable(string('Address that replies go to', 'Ada <ada@acme.example>')),
  to: list(address, 'Recipients'),
  cc: list(address, 'Copies'),
  bcc: list(address, 'Blind copies, hidden from other recipients'),
  recipients: list(recipient, 'State of each recipient: to, then cc, then bcc'),
  metadata: nullable(metadata),
  headers: nullable(headers),
  attachments,
  providerId: nullable(string('ID given by the delivery provider; null until it accepts', 'els3dc3h')),
  attempts: integer('Delivery attempts', 1),
  possibleDuplicate: boolean('True if it was resent because the outcome of an earlier delivery is unknown', false),
  failedAt: nullable(dateTime('Time of the final failure')),
  canceledAt: nullable(dateTime('Time when it was canceled')),
  sendAt: nullable(dateTime('Scheduled time; null for at once')),
  nextAttemptAt: nullable(
    dateTime(
      'Time of the next attempt; null if there is none, while its broadcast is paused, or while your own providers refuse their credentials',
    ),
  ),
  pixelUrl,
  links: list(clickedLink, 'Its links, in HTML order'),
});

export const event = object<EmailEvent>('EmailEvent', 'One event of an email', {
  id: string('ID of the event', '0190f3a6-55aa-7c4d-b1f2-0c9d8e7f6a5b'),
  type: enumOf(EVENT_TYPES, 'Event type', 'clicked'),
  timestamp: dateTime('Time of the event'),
  link: optional(string('Destination, only for clicked', 'https://example.com/sale')),
  class: optional(verdictFields.class),
  reason: optional(verdictFields.reason),
  certainty: optional(verdictFields.certainty),
});
