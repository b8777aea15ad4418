import { describeRoute } from '../platform/openapi/describe-route.js';
import { locationHeader } from '../platform/openapi/headers.js';
import { path, prefer, query } from '../platform/openapi/parameters.js';
import { list, object, string } from '../platform/openapi/schemas.js';
import type { EmailEvent } from './read/email-events.js';
import type { EmailSummary } from './read/email-list.js';
import { detail, emailId, emailStatus, event, sendRequest, sent, summary } from './email-schemas.js';
import { tracked, trackRequest, underWay } from './email-schemas.js';

const tag = 'Emails';
const byId = path('id', { ...emailId, description: 'ID or tracking ID of the email' });

/** One decorator per route of the two controllers. */
export const emailDocs = {
  send: describeRoute({
    operationId: 'sendEmail',
    summary: 'Send an email and track it',
    description:
      'Stores the email, then waits for its delivery. An email that is still under way after 10 seconds is answered ' +
      'with 202 and delivered all the same: its Location tells how far it came.',
    tag,
    parameters: [prefer],
    idempotent: true,
    body: sendRequest,
    answers: {
      200: { description: 'The provider accepted the email', schema: sent },
      202: { description: 'The email is under way', schema: underWay, headers: locationHeader },
    },
    errors: {
      403: true,
      500: 'The provider refused the email for good (the sentence says why), or a fault on our side',
    },
  }),
  track: describeRoute({
    operationId: 'trackEmail',
    summary: 'Track an email that another provider sends',
    description: 'Sends nothing: it answers with HTML that carries tracked links and the pixel.',
    tag,
    idempotent: true,
    body: trackRequest,
    answers: { 200: { description: 'The HTML to send', schema: tracked } },
    errors: { 403: true },
  }),
  list: describeRoute({
    operationId: 'listEmails',
    summary: 'List emails',
    description: 'Newest first.',
    tag,
    parameters: [
      query('campaignId', string('Only of this campaign: its name or ID', 'Spring sale')),
      query('recipient', string('Only to this address', 'reader@example.com')),
      query('status', emailStatus),
    ],
    paged: true,
    answers: {
      200: {
        description: 'The emails',
        schema: object<{ emails: readonly EmailSummary[] }>('EmailList', 'A page of emails', {
          emails: list(summary, 'Emails, newest first'),
        }),
      },
    },
  }),
  detail: describeRoute({
    operationId: 'getEmail',
    summary: 'Read an email',
    tag,
    parameters: [byId],
    answers: { 200: { description: 'The email', schema: detail } },
    errors: { 404: 'Email not found' },
  }),
  retry: describeRoute({
    operationId: 'retryEmail',
    summary: 'Retry a failed email',
    description:
      'Queues it again; it counts for its campaign and contacts again. Where nobody could know whether the first ' +
      'delivery was accepted, the email is marked as a possible duplicate.',
    tag,
    parameters: [byId],
    answers: { 200: { description: 'The email, on its way again', schema: detail } },
    errors: { 404: 'Email not found', 409: 'The email did not fail, or its campaign is archived' },
  }),
  events: describeRoute({
    operationId: 'listEmailEvents',
    summary: 'List the events of an email',
    description: 'Newest first.',
    tag,
    parameters: [byId],
    paged: true,
    answers: {
      200: {
        description: 'The events',
        schema: object<{ events: readonly EmailEvent[] }>('EmailEventList', 'A page of events', {
          events: list(event, 'Events, newest first'),
        }),
      },
    },
    errors: { 404: 'Email not found' },
  }),
};
