import { EVENT_TYPES } from '../events/engagement-event.js';
import { verdictFields } from '../events/engagement-docs.js';
import { emailId } from '../emails/email-fields.js';
import { describeRoute } from '../platform/openapi/describe-route.js';
import { path, query } from '../platform/openapi/parameters.js';
import {
  decimal,
  freeObject,
  list,
  nullable,
  object,
  enumOf,
  optional,
  string,
  dateTime,
  integer,
} from '../platform/openapi/schemas.js';
import type { ErasureProgress } from './erasure/contact-erasures.js';
import {
  CONTACT_STATUSES,
  type ContactDetail,
  type ContactPeople,
  type ContactView,
  type TimelineEvent,
} from './contact-views.js';

const tag = 'Contacts';

const contactFields = {
  email: string('Address in its original spelling', 'reader@example.com'),
  totalEmails: integer('Emails sent to the contact', 24),
  totalOpens: integer('Opens of those emails', 18),
  totalClicks: integer('Clicks in those emails', 7),
  status: enumOf(CONTACT_STATUSES, 'The strongest reason why mail to the contact is suppressed', 'active'),
  bounces: integer('Emails to the contact that bounced, hard or soft', 0),
  complaints: integer('Emails that the contact reported as spam', 0),
  campaigns: list(
    string('Name of a campaign', 'Spring sale'),
    'Names of the campaigns that the contact received, newest first: at most 100 in a list, 1,000 in the detail',
  ),
  engagementScore: integer('min(100, round(60 × opens per email + 40 × clicks per email))', 57, { maximum: 100 }),
  people: object<ContactPeople>('ContactPeople', 'Opens and clicks by people', {
    opens: integer('Opens by people', 12),
    clicks: integer('Clicks by people', 6),
    engagementScore: integer('The score of these opens and clicks, by the same formula', 40, { maximum: 100 }),
  }),
  lastActivity: dateTime('Time of the most recent email, open or click'),
};

const contact = object<ContactView>('Contact', 'A recipient, across all campaigns', contactFields);

const event = object<TimelineEvent>('TimelineEvent', 'An event in the history of a contact', {
  type: enumOf(EVENT_TYPES, 'Type of the event', 'clicked'),
  timestamp: dateTime('Time of the event'),
  emailId,
  subject: string('Subject line of the email', 'The sale has begun'),
  campaign: optional(string('Name of the campaign, if the email has one', 'Spring sale')),
  link: optional(string('Destination, only for clicked', 'https://example.com/sale')),
  class: optional(verdictFields.class),
  reason: optional(verdictFields.reason),
  certainty: optional(verdictFields.certainty),
});

const detail = object<ContactDetail>('ContactDetail', 'A recipient with their history', {
  ...contactFields,
  firstSeen: dateTime('Time of the first email that counts in totalEmails; of the first email if none counts'),
  openRate: decimal('Opens per email, two decimals', 0.75),
  clickRate: decimal('Clicks per email, two decimals', 0.29),
  timeline: list(event, 'At most 1000 events, newest first', { maxItems: 1000 }),
});

const personExport = object<Record<'contact' | 'suppressions' | 'broadcasts' | 'emails' | 'events', unknown>>(
  'PersonExport',
  'Everything that is stored about a person',
  {
    contact: nullable(freeObject('The contact with its counts', { email: 'reader@example.com', emails: 24 })),
    suppressions: list(freeObject('A reason', { reason: 'unsubscribe' }), 'Why mail to the person is suppressed'),
    broadcasts: list(
      freeObject('A place', { variables: { name: 'Jane' } }),
      'Entries in broadcasts without an email yet',
    ),
    emails: list(freeObject('An email', { subject: 'The sale has begun' }), 'Emails with their content'),
    events: list(freeObject('An event', { type: 'opened' }), 'Events, oldest first'),
  },
);

/** One decorator per route of the controller. */
export const contactDocs = {
  list: describeRoute({
    operationId: 'listContacts',
    summary: 'List or search contacts',
    description: 'Most recent activity first. The response is a bare array.',
    tag,
    parameters: [
      query(
        'search',
        string('Part of the address, ignoring case; another alphabet by whole labels of its domain', 'example.com'),
      ),
    ],
    paged: true,
    responses: { 200: { description: 'The contacts', schema: list(contact, 'Contacts, most recent activity first') } },
  }),
  detail: describeRoute({
    operationId: 'getContact',
    summary: 'Get a contact',
    tag,
    parameters: [path('email', string('The address, URL-encoded; case does not matter', 'reader@example.com'))],
    responses: { 200: { description: 'The contact', schema: detail } },
    errors: { 404: 'Contact not found' },
  }),
  export: describeRoute({
    operationId: 'exportContact',
    summary: 'Export a person',
    description:
      'Everything that is stored about a person, as one JSON document: the contact, suppressions, entries in broadcasts, every email with its content, reports about its delivery and webhooks, and opens and clicks. Other recipients of an email are left out. One export of an organization runs at a time.',
    tag,
    parameters: [path('email', string('The address, URL-encoded; case does not matter', 'reader@example.com'))],
    responses: { 200: { description: 'The document', schema: personExport } },
    errors: { 404: 'Contact not found' },
  }),
  erase: describeRoute({
    operationId: 'eraseContact',
    summary: 'Erase a person',
    description:
      'Deletes the contact, its timeline, and every email that went to nobody else: recipients, subject, body, attachments, metadata and webhook deliveries. In emails to several recipients, `erased@erased.invalid` replaces the recipient, and the word `erased` the address in the subject, body, headers and metadata; they are still sent to the others. Queued and scheduled emails to this person alone are canceled. Totals of campaigns stay. Complaints and unsubscriptions stay as keyed hashes, so that no mail goes to the person by accident. A send after the request makes a new contact. The request itself works for at most two seconds, enough for a few thousand emails; 202 says that the rest continues in the background. Repeat the request to see whether it has ended: then the response is 404.',
    tag,
    parameters: [path('email', string('The address, URL-encoded; case does not matter', 'reader@example.com'))],
    responses: {
      202: {
        description: 'The contact is deleted; the erasure continues in the background',
        schema: object<ErasureProgress>('ErasureProgress', 'An erasure in progress', {
          emails: integer('Emails from which the person is still to be erased', 98_000),
        }),
      },
      204: { description: 'Nothing about the person is stored any more' },
    },
    errors: { 404: 'Contact not found' },
  }),
};
