import { describeRoute } from '../platform/openapi/describe-route.js';
import { path, query } from '../platform/openapi/parameters.js';
import { decimal, list, object, oneOf, optional, text, time, whole } from '../platform/openapi/schemas.js';
import type { ContactDetail, ContactView, TimelineEvent } from './contact-views.js';

const tag = 'Contacts';

const contactFields = {
  email: text('Address, as it was first written', 'reader@example.com'),
  totalEmails: whole('Emails sent to it', 24),
  totalOpens: whole('Opens of those emails', 18),
  totalClicks: whole('Clicks in those emails', 7),
  campaigns: list(
    text('Name of a campaign', 'Spring sale'),
    'Names of the campaigns it received, newest first: at most 100 in a list, 1,000 in the detail',
  ),
  engagementScore: whole('min(100, round(60 × opens per email + 40 × clicks per email))', 57, { maximum: 100 }),
  lastActivity: time('Most recent email, open or click'),
};

const contact = object<ContactView>('Contact', 'A recipient, across all campaigns', contactFields);

const event = object<TimelineEvent>('TimelineEvent', 'One thing that happened', {
  type: oneOf(['sent', 'opened', 'clicked'], 'What happened', 'clicked'),
  timestamp: time('When it happened'),
  subject: text('Subject line of the email', 'The sale has begun'),
  campaign: optional(text('Name of the campaign, if the email has one', 'Spring sale')),
  link: optional(text('Destination, only for clicked', 'https://example.com/sale')),
});

const detail = object<ContactDetail>('ContactDetail', 'A recipient with their history', {
  ...contactFields,
  firstSeen: time('When the first email was sent'),
  openRate: decimal('Opens per email, two decimals', 0.75),
  clickRate: decimal('Clicks per email, two decimals', 0.29),
  timeline: list(event, 'At most 1000 events, newest first', { maxItems: 1000 }),
});

/** One decorator per route of the controller. */
export const contactDocs = {
  list: describeRoute({
    operationId: 'listContacts',
    summary: 'List or search contacts',
    description: 'Most recent activity first. The answer is a bare array.',
    tag,
    parameters: [query('search', text('Part of the address, ignoring case', 'example.com'))],
    paged: true,
    answers: { 200: { description: 'The contacts', schema: list(contact, 'Contacts, most recent activity first') } },
  }),
  detail: describeRoute({
    operationId: 'getContact',
    summary: 'Read a contact',
    tag,
    parameters: [path('email', text('The address, URL-encoded; case does not matter', 'reader@example.com'))],
    answers: { 200: { description: 'The contact', schema: detail } },
    errors: { 404: 'Contact not found' },
  }),
};
