import {
  freeObject,
  list,
  nullable,
  object,
  enumOf,
  optional,
  string,
  textOrList,
  dateTime,
} from '../platform/openapi/schemas.js';
import { integer, boolean } from '../platform/openapi/schemas.js';
import type { TrackedLink } from '../rendering/render-email.js';
import type { EmailEvent } from './read/email-events.js';
import type { EmailSummary } from './read/email-list.js';
import type { EmailDetail } from './read/email-detail.js';
import type { SendResponse } from './accept/send-response.js';
import { MAX_SUBJECT, type SendRequest, type TrackRequest } from './accept/send-request.js';
import type { TrackResponse } from './accept/track-response.js';

const HTML = '<p>The sale has begun: <a href="https://example.com/sale">have a look</a></p>';
const TRACKED_HTML =
  '<p>The sale has begun: <a href="http://localhost:3000/api/t/c/AgS4VF0R">have a look</a></p>' +
  '<img src="http://localhost:3000/api/t/o/3Dlq2v5NJzQHOqbKVSEGDmYB" width="1" height="1" alt="">';

export const emailId = string('ID of the email', '0190f3a5-0b6d-7d11-8a3e-2f9c7e5d1a40');
const trackingId = string('Short tracking ID of the email', '3Dlq2v5NJzQHOqbKVSEGDmYB');
const pixelUrl = string('Open-tracking pixel', 'http://localhost:3000/api/t/o/3Dlq2v5NJzQHOqbKVSEGDmYB');
const sender = string('Address, or Name <address>', 'Ada <ada@acme.example>');
const subject = string('Subject line, without line breaks', 'The sale has begun', {
  minLength: 1,
  maxLength: MAX_SUBJECT,
});
const address = string('An email address', 'reader@example.com');
const metadata = freeObject('Yours; kept with the email, at most 10,000 bytes as JSON', { orderId: 4711 });

export const emailStatus = enumOf(
  ['queued', 'sending', 'sent', 'failed', 'tracked'],
  'How far the email came; tracked when another provider sends it',
  'sent',
);

const requestFields = {
  to: textOrList('Recipient or recipients; 1 to 50 addresses over to, cc and bcc together', ['reader@example.com']),
  subject,
  htmlContent: string('HTML, or MJML whose root element is <mjml>; at most 5 MB', HTML, { minLength: 1 }),
  campaignId: optional(
    string('Name of a campaign, which is created if it is new; an ID is understood too', 'Spring sale'),
  ),
  metadata: optional(metadata),
};

export const sendRequest = object<SendRequest>('SendRequest', 'An email to send', {
  from: sender,
  ...requestFields,
  replyTo: optional(string('Address that replies go to', 'help@acme.example')),
  cc: optional(textOrList('Copies', ['boss@example.com'])),
  bcc: optional(textOrList('Copies that nobody else sees', ['archive@example.com'])),
});

export const trackRequest = object<TrackRequest>('TrackRequest', 'An email that another provider sends', {
  ...requestFields,
  from: optional(sender),
});

const linkFields = {
  originalUrl: string('Destination as found in the HTML', 'https://example.com/sale'),
  trackingId: string('Tracking ID of the link', 'AgS4VF0R'),
  trackingUrl: string('Address that counts the click and redirects', 'http://localhost:3000/api/t/c/AgS4VF0R'),
};
const link = object<TrackedLink>('TrackedLink', 'One link of an email', linkFields);

const sendFields = {
  emailTrackingId: trackingId,
  from: string('Sender actually used: rewritten unless its domain is verified', 'Ada <ada-5f2a@mailbeacon.localhost>'),
  to: list(address, 'Recipients, always an array'),
  subject,
  links: list(link, 'One entry per tracked link; empty until the HTML has been rewritten'),
  pixelUrl,
};

export const sent = object<Omit<SendResponse, 'status'>>('SentEmail', 'The provider accepted the email', {
  id: string('ID given by the delivery provider', 'els3dc3h'),
  ...sendFields,
});

export const underWay = object<Required<SendResponse>>('EmailUnderWay', 'The email is stored and will be delivered', {
  id: { type: 'null', description: 'Null until the provider accepts', examples: [null] },
  ...sendFields,
  status: enumOf(['queued'], 'Always queued', 'queued'),
});

export const tracked = object<TrackResponse>('TrackedEmail', 'What the other provider is to send', {
  id: emailId,
  emailTrackingId: trackingId,
  links: list(link, 'One entry per tracked link'),
  pixelUrl,
  htmlContent: string('The HTML with tracked links and the pixel', TRACKED_HTML),
});

const countFields = {
  createdAt: dateTime('When it was accepted'),
  sentAt: nullable(dateTime('When the provider accepted it; null until then')),
  opens: integer('Opens', 2),
  clicks: integer('Clicks', 1),
};
const campaign = nullable(string('Name of its campaign; null without one', 'Spring sale'));

const lastError = nullable(string('Why the last attempt failed', '451 4.7.1 Please try again later'));

export const summary = object<EmailSummary>('EmailSummary', 'An email in a list', {
  id: emailId,
  trackingId,
  status: emailStatus,
  recipient: string('The addresses in to, joined by ", "', 'reader@example.com'),
  subject,
  campaign,
  lastError,
  ...countFields,
});

const clickedLink = object<TrackedLink & { clicks: number }>('ClickedLink', 'One link of an email and its clicks', {
  ...linkFields,
  clicks: integer('Clicks on it', 1),
});

export const detail = object<EmailDetail>('Email', 'All that is known of an email', {
  id: emailId,
  trackingId,
  status: emailStatus,
  from: nullable(string('Sender used; null if it was not told', 'Ada <ada-5f2a@mailbeacon.localhost>')),
  replyTo: nullable(string('Address that replies go to', 'Ada <ada@acme.example>')),
  to: list(address, 'Recipients'),
  cc: list(address, 'Copies'),
  bcc: list(address, 'Copies that nobody else sees'),
  subject,
  campaign,
  metadata: nullable(metadata),
  providerId: nullable(string('ID given by the delivery provider; null until it accepts', 'els3dc3h')),
  attempts: integer('Deliveries tried', 1),
  lastError,
  possibleDuplicate: boolean('It was sent once more because nobody could know whether the first was accepted', false),
  failedAt: nullable(dateTime('When it failed for good')),
  nextAttemptAt: nullable(dateTime('When it is tried next')),
  ...countFields,
  pixelUrl,
  links: list(clickedLink, 'Its links, in the order of the HTML'),
});

export const event = object<EmailEvent>('EmailEvent', 'One thing that happened to an email', {
  id: string('ID of the event', '0190f3a6-55aa-7c4d-b1f2-0c9d8e7f6a5b'),
  type: enumOf(['sent', 'opened', 'clicked'], 'What happened', 'clicked'),
  timestamp: dateTime('When it happened'),
  link: optional(string('Destination, only for clicked', 'https://example.com/sale')),
});
