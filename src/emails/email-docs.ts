import { describeRoute } from '../platform/openapi/describe-route.js';
import { locationHeader } from '../platform/openapi/headers.js';
import { path, prefer, query } from '../platform/openapi/parameters.js';
import { enumOf, list, object, string } from '../platform/openapi/schemas.js';
import type { EmailEvent } from './read/email-events.js';
import type { EmailSummary } from './read/email-list.js';
import { emailFilters } from './email-filter-docs.js';
import { accepted, batchResponse, canceled, detail, event, sent, summary, tracked } from './email-schemas.js';
import { batchRequest, sendRequest, trackRequest } from './request-schemas.js';
import { emailId, newSendAt } from './email-fields.js';
import type { RescheduleRequest } from './schedule/reschedule-request.js';
import type { TimelineEntry } from './read/timeline-entry.js';
import { timelineEntry } from './read/timeline-docs.js';

const tag = 'Emails';
const byId = path('id', { ...emailId, description: 'ID or tracking ID of the email' });

const EXPORT_EXAMPLE =
  'id,trackingId,status,recipient,subject,campaign,tags,lastError,createdAt,sentAt,opens,clicks,peopleOpens,peopleClicks\r\n';

/** One decorator per route of both controllers. */
export const emailDocs = {
  send: describeRoute({
    operationId: 'sendEmail',
    summary: 'Send an email and track it',
    description:
      'Stores the email, then waits for its delivery. If delivery takes more than 10 seconds, the response is 202 and ' +
      'delivery continues: its Location header points to the status of the email. An email with `sendAt` in the future ' +
      'gets a 202 with the status scheduled at once.',
    tag,
    parameters: [prefer],
    idempotent: true,
    body: sendRequest,
    responses: {
      200: { description: 'The provider accepted the email', schema: sent },
      202: { description: 'Delivery of the email continues', schema: accepted, headers: locationHeader },
    },
    errors: {
      403: true,
      422: 'Every address of `to` is suppressed, or the Idempotency-Key was used with another request',
      500: 'The email failed for good (the error says why), or an internal error',
    },
  }),
  sendBatch: describeRoute({
    operationId: 'sendEmails',
    summary: 'Send many emails',
    description:
      'Stores all of them in one transaction. A refused message has an error at its position in the response.',
    tag,
    idempotent: true,
    body: batchRequest,
    responses: { 202: { description: 'The result for each message, in order', schema: batchResponse } },
    errors: { 403: true },
  }),
  track: describeRoute({
    operationId: 'trackEmail',
    summary: 'Track an email that another provider sends',
    description: 'Sends nothing; the response contains the HTML with tracked links and the pixel.',
    tag,
    idempotent: true,
    body: trackRequest,
    responses: { 200: { description: 'The HTML to send', schema: tracked } },
    errors: { 403: true },
  }),
  list: describeRoute({
    operationId: 'listEmails',
    summary: 'List emails',
    description:
      'Newest first. The last pages of a search have older emails that match only by subject. They may be empty: follow `next`.',
    tag,
    parameters: emailFilters,
    paged: true,
    responses: {
      200: {
        description: 'The emails',
        schema: object<{ emails: readonly EmailSummary[] }>('EmailList', 'A page of emails', {
          emails: list(summary, 'Emails, newest first'),
        }),
      },
    },
  }),
  export: describeRoute({
    operationId: 'exportEmails',
    summary: 'Export emails',
    description:
      'A CSV file with a header row and the matching emails, newest first. An apostrophe precedes a cell that a spreadsheet would run as a formula. One export of an organization runs at a time.',
    tag,
    parameters: emailFilters,
    responses: {
      200: { description: 'The emails', mediaType: 'text/csv', schema: string('A CSV file', EXPORT_EXAMPLE) },
    },
    errors: { 400: true },
  }),
  detail: describeRoute({
    operationId: 'getEmail',
    summary: 'Read an email',
    tag,
    parameters: [byId],
    responses: { 200: { description: 'The email', schema: detail } },
    errors: { 404: 'Email not found' },
  }),
  retry: describeRoute({
    operationId: 'retryEmail',
    summary: 'Retry a failed email',
    description:
      'Queues the email again, and it counts for its campaign and contacts again. If the outcome of the first ' +
      'delivery is unknown, the email is marked as a possible duplicate.',
    tag,
    parameters: [byId],
    responses: { 200: { description: 'The email, queued again', schema: detail } },
    errors: {
      404: 'Email not found',
      409: 'The email did not fail, its campaign is archived, its broadcast canceled, or its recipient or content deleted',
    },
  }),
  cancel: describeRoute({
    operationId: 'cancelEmail',
    summary: 'Cancel an email',
    description:
      'Works while the email is scheduled, or queued and no worker has begun to send it. It no longer counts for its ' +
      'campaign and contacts.',
    tag,
    parameters: [byId],
    responses: {
      200: { description: 'The email is not sent', schema: canceled },
    },
    errors: { 404: 'Email not found', 409: 'The email is being sent, may have reached a recipient, or is final' },
  }),
  reschedule: describeRoute({
    operationId: 'rescheduleEmail',
    summary: 'Reschedule an email',
    tag,
    parameters: [byId],
    body: object<RescheduleRequest>('RescheduleRequest', 'Another time', { sendAt: newSendAt }),
    responses: { 200: { description: 'The email', schema: detail } },
    errors: { 404: 'Email not found', 409: 'The email is not scheduled' },
  }),
  events: describeRoute({
    operationId: 'listEmailEvents',
    summary: 'List the events of an email',
    description: 'Newest first.',
    tag,
    parameters: [byId],
    paged: true,
    responses: {
      200: {
        description: 'The events',
        schema: object<{ events: readonly EmailEvent[] }>('EmailEventList', 'A page of events', {
          events: list(event, 'Events, newest first'),
        }),
      },
    },
    errors: { 404: 'Email not found' },
  }),
  timeline: describeRoute({
    operationId: 'getEmailTimeline',
    summary: 'List everything that happened to an email',
    description: 'Oldest first: attempts, reports about each recipient, opens, clicks, and webhook deliveries.',
    tag,
    parameters: [byId],
    paged: true,
    responses: {
      200: {
        description: 'What happened',
        schema: object<{ timeline: readonly TimelineEntry[] }>('EmailTimeline', 'A page of a timeline', {
          timeline: list(timelineEntry, 'Entries, oldest first'),
        }),
      },
    },
    errors: { 404: 'Email not found' },
  }),
  preview: describeRoute({
    operationId: 'previewEmail',
    summary: 'Show the HTML or the text of an email',
    description:
      'HTML to show in a frame: it has no pixel, its links lead nowhere, and nothing in it can run. Of a text-only email, it shows the text. The text is `text/plain`, with its links.',
    tag,
    parameters: [
      byId,
      query('images', enumOf(['true', 'false'], 'Whether remote images load', 'false')),
      query('part', enumOf(['html', 'text'], 'What to show', 'html')),
    ],
    responses: {
      200: {
        description: 'The HTML, or the text',
        mediaType: 'text/html',
        schema: string('HTML', '<p>It works.</p>'),
        otherBodies: { 'text/plain': string('Text', 'It works.') },
      },
    },
    errors: {
      400: 'A parameter is invalid, or the template of the email fails with its variables',
      404: 'Email not found, or its body was deleted',
    },
  }),
};
